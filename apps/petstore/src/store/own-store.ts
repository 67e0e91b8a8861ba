/** The name of the log of the service's own store; that of a sandbox has the sandbox's id. */
export const OWN_STORE = '';
