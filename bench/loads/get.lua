-- One animal by a random id. Arguments: the path before the id; the highest id. The requests are written before the load
-- begins, so that the client has little to do during it.
local support = require 'support'
local PREPARED = 8192
local requests, at = {}, 0

function init(args)
  math.randomseed(20)
  for i = 1, PREPARED do
    requests[i] = wrk.format('GET', args[1] .. math.random(tonumber(args[2])))
  end
end

function request()
  at = at % PREPARED + 1
  return requests[at]
end

function done(summary, latency)
  support.report(summary, latency)
end
