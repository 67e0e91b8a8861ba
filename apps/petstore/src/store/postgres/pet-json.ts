/** A row of pets as a Pet, in SQL; byte for byte as petJson writes it. */
export const PET_JSON = `'{"id":' || id || ',"name":' || to_json(name)::text || ',"categoryId":' || category_id || ',"status":"' || status || '"}'`;
