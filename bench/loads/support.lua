-- What the loads share. The runner puts this folder into LUA_PATH.
local support = {}

-- The figures of a run as one line of JSON. Percentiles are in microseconds. `status` counts answers
-- of 400 and above; the runner compares the mean size of an answer to tell all others.
function support.report(summary, latency, extra)
  local errors = summary.errors
  io.write(string.format(
    '\nRESULT {"requests":%d,"durationUs":%d,"bytes":%d,"p50":%g,"p99":%g,"p999":%g,' ..
    '"errors":{"connect":%d,"read":%d,"write":%d,"status":%d,"timeout":%d}%s}\n',
    summary.requests, summary.duration, summary.bytes,
    latency:percentile(50), latency:percentile(99), latency:percentile(99.9),
    errors.connect, errors.read, errors.write, errors.status, errors.timeout, extra or ''))
end

support.pet = '{"name":"Rex","categoryId":7,"status":"available"}'

-- A create as text. Headers that are given to wrk.format replace those of the command line, among
-- them the key; so they are copied.
function support.create(path)
  local headers = { ['Content-Type'] = 'application/json' }
  for name, value in pairs(wrk.headers) do
    headers[name] = value
  end
  return wrk.format('POST', path, headers, support.pet)
end

return support
