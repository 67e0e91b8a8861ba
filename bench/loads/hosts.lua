-- The same path of many hosts in turn. Arguments: the path; how many hosts; what their names end in.
-- The requests are written before the load begins, so that the client has little to do during it.
local support = require 'support'
local requests, at = {}, 0

function init(args)
  for i = 1, tonumber(args[2]) do
    local headers = { Host = 'site' .. (i - 1) .. args[3] }
    for name, value in pairs(wrk.headers) do
      if name ~= 'Host' then headers[name] = value end
    end
    requests[i] = wrk.format('GET', args[1], headers)
  end
end

function request()
  at = at % #requests + 1
  return requests[at]
end

function done(summary, latency)
  support.report(summary, latency)
end
