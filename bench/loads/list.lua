-- One request over and over: the path in the address that the runner gives.
local support = require 'support'

function done(summary, latency)
  support.report(summary, latency)
end
