"""Lua scripts that Redis runs atomically."""

from __future__ import annotations

import hashlib
from typing import NamedTuple


class LuaScript(NamedTuple):
    """A Lua script, and the hash by which a server caches it."""

    source: str
    sha: str


def _script(source: str) -> LuaScript:
    return LuaScript(source, hashlib.sha1(source.encode(), usedforsecurity=False).hexdigest())


COMMITTED, REFUSED, DAMAGED = 1, 0, -1

COMMIT = _script("""
-- KEYS: head, rows, log, and the announcement stream if it is on the same server
-- ARGV: revision and token of the point before, token, note, length of the log, seconds to live or 0, writer,
--       names of the changed rows, number of removed rows, their names, and name and value of each other row
local head = redis.call('HMGET', KEYS[1], 'revision', 'token', 'rows')
local revision, after = tonumber(head[1] or '0'), tonumber(ARGV[1])
local id = string.format('%.0f-0', after + 1)
local rows = redis.call('HLEN', KEYS[2])
local newest = redis.call('XREVRANGE', KEYS[3], '+', '-', 'COUNT', 1)[1]
if revision ~= after or (head[2] or '') ~= ARGV[2] then
  local there = redis.call('XRANGE', KEYS[3], id, id)[1]
  if there and there[2][2] == ARGV[3] then
    -- Write something: WAIT waits only for writes of the same connection.
    redis.call('HSET', KEYS[1], 'again', ARGV[3])
    return 1
  end
  return 0
end
-- Everything that can fail must come before this line: a script that stops halfway is not rolled back.
if rows ~= tonumber(head[3] or '0') or (newest and tonumber(string.match(newest[1], '^%d+')) > after) then
  return -1
end

-- Deletions come first: a server that is out of memory lets a script go on that began with them.
local values = 10 + tonumber(ARGV[9])
for i = 10, values - 1 do
  redis.call('HDEL', KEYS[2], ARGV[i])
end
for i = values, #ARGV, 2 do
  redis.call('HSET', KEYS[2], ARGV[i], ARGV[i + 1])
end
redis.call('HSET', KEYS[1], 'revision', string.format('%.0f', after + 1), 'note', ARGV[4], 'token', ARGV[3],
  'rows', redis.call('HLEN', KEYS[2]))
redis.call('XADD', KEYS[3], 'MAXLEN', '=', ARGV[5], id, 'token', ARGV[3], 'rows', ARGV[8])
if KEYS[4] then
  redis.pcall('XADD', KEYS[4], 'MAXLEN', '~', 10000, '*', 'by', ARGV[7])
end
if ARGV[6] ~= '0' then
  for i = 1, 3 do
    redis.call('EXPIRE', KEYS[i], ARGV[6])
  end
end
return 1
""")
"""Commit a point after another one, or find that it was committed already."""

WHOLE, CHANGED, TOO_MANY, TOO_MANY_CHANGED, MISSING = b"whole", b"changed", b"too many", b"too many changed", b"missing"

LOAD = _script("""
-- KEYS: head, rows, log
-- ARGV: revision and token of the point since when, the most rows to return at once
local head = redis.call('HMGET', KEYS[1], 'revision', 'note', 'token', 'rows')
local revision, since, most = tonumber(head[1] or '0'), tonumber(ARGV[1]), tonumber(ARGV[3])
local count = redis.call('HLEN', KEYS[2])

local function is_known()
  if since == revision then
    return head[3] == ARGV[2]
  end
  local id = string.format('%.0f-0', since)
  local logged = redis.call('XRANGE', KEYS[3], id, id)[1]
  return logged and logged[2][2] == ARGV[2]
end

local function answer(what, names, values)
  return {head[1] or '0', head[2] or '{}', head[3] or '', count, what, names or {}, values or {}}
end

if count ~= tonumber(head[4] or '0') then
  return answer('missing')
end
if since < 1 or since > revision or not is_known() then
  if count > most then
    return answer('too many')
  end
  local names, values = {}, {}
  local all = redis.call('HGETALL', KEYS[2])
  for i = 1, #all, 2 do
    names[#names + 1], values[#values + 1] = all[i], all[i + 1]
  end
  return answer('whole', names, values)
end

local names, seen = {}, {}
for _, logged in ipairs(redis.call('XRANGE', KEYS[3], string.format('%.0f-0', since + 1), '+')) do
  for name in string.gmatch(logged[2][4], '[^\\n]+') do
    if not seen[name] then
      seen[name] = true
      names[#names + 1] = name
    end
  end
end
if #names > most then
  return answer('too many changed', names)
end
local values = {}
for i, name in ipairs(names) do
  values[i] = redis.call('HGET', KEYS[2], name)
end
return answer('changed', names, values)
""")
"""Read the changes since a point in one snapshot, or report that they are too many for one step."""
