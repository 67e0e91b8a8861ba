local support = require 'support'

wrk.method = 'POST'
wrk.headers['Content-Type'] = 'application/json'
wrk.body = support.pet

function done(summary, latency)
  support.report(summary, latency)
end
