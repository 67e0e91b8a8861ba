-- Lists, and at every n-th request a create. Arguments: n; the path of the list; that of creates;
-- `timed` when there is one connection. Then requests and answers alternate, and each list can be timed by itself.
local support = require 'support'
local ffi = require 'ffi'
ffi.cdef [[
  typedef struct { long seconds; long nanoseconds; } moment;
  int clock_gettime(int clock, moment *now);
]]
local CLOCK_MONOTONIC = 1
local moment = ffi.new 'moment'

local function microseconds()
  ffi.C.clock_gettime(CLOCK_MONOTONIC, moment)
  return tonumber(moment.seconds) * 1e6 + tonumber(moment.nanoseconds) / 1e3
end

local threads = {}
local list, create, every
local sent = 0

-- Global, so that done() can fetch them from the thread.
creates = 0
reads = {}

function setup(thread)
  threads[#threads + 1] = thread
end

function init(args)
  every = tonumber(args[1])
  list = wrk.format('GET', args[2])
  create = support.create(args[3])
  if args[4] == 'timed' then
    local begun
    local untimed = request
    function request()
      begun = microseconds()
      return untimed()
    end
    function response(status)
      if status == 200 then reads[#reads + 1] = microseconds() - begun end
    end
  end
end

function request()
  sent = sent + 1
  if sent % every == 0 then
    creates = creates + 1
    return create
  end
  return list
end

local function percentile(sorted, share)
  return sorted[math.max(1, math.ceil(#sorted * share))]
end

function done(summary, latency)
  local extra = string.format(',"creates":%d', threads[1]:get('creates'))
  local times = threads[1]:get('reads')
  if #times > 0 then
    table.sort(times)
    extra = extra .. string.format(',"reads":{"p50":%g,"p99":%g,"p999":%g}',
      percentile(times, 0.5), percentile(times, 0.99), percentile(times, 0.999))
  end
  support.report(summary, latency, extra)
end
