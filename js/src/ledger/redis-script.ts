/**
 * What the Redis store runs inside the server: one script, so that each operation is one step that
 * nothing comes between. The first argument says which.
 *
 * | key | what |
 * |---|---|
 * | `call:ID` | a hash: the call, and by which values it stands in the sorted sets below |
 * | `trail:ID` | a list |
 * | `all` `state:…` `cause:…` `label:…` | sorted sets of members `TIME:ID`, all with score 0: in the order of their bytes |
 * | `due:PRIORITY` `priorities` | ids by due time, for each priority; the priorities that have any |
 * | `done` | ids by the time when they were over |
 * | `version` | of this layout |
 *
 * All numbers that are kept are handed in as text, so that Lua never prints one.
 *
 * @module
 */

/** The layout that this release reads and writes. */
export const VERSION = 1;

/** Members that one run of the script looks at, at most: meanwhile the server does nothing else. */
const STRIDE = 1000;

/** What a change says of a call, in this order, after the operation's own arguments. */
export const FIELDS: readonly string[] = [
	'id',
	'revision',
	'state',
	'cause',
	'due',
	'done',
	'record',
	'entries',
	'keeps',
	'outcome',
	'member',
	'priority',
	'labels',
	'keys',
	'request',
	'payload',
];

export const SCRIPT: string = `
local p, op = ARGV[1], ARGV[2]

local function shown(id)
	return redis.call('HMGET', p .. 'call:' .. id,
		'record', 'labels', 'priority', 'request', 'payload', 'outcome')
end

-- Takes a call out of the sets that follow its record.
local function unplace(id)
	local f = redis.call('HMGET', p .. 'call:' .. id,
		'state', 'cause', 'due', 'done', 'member', 'priority')
	redis.call('ZREM', p .. 'state:' .. f[1], f[5])
	if f[2] ~= '' then redis.call('ZREM', p .. 'cause:' .. f[2], f[5]) end
	if f[3] ~= '' then
		redis.call('ZREM', p .. 'due:' .. f[6], id)
		if redis.call('EXISTS', p .. 'due:' .. f[6]) == 0 then
			redis.call('ZREM', p .. 'priorities', f[6])
		end
	end
	if f[4] ~= '' then redis.call('ZREM', p .. 'done', id) end
end

local function place(c, member, priority)
	redis.call('ZADD', p .. 'state:' .. c.state, 0, member)
	if c.cause ~= '' then redis.call('ZADD', p .. 'cause:' .. c.cause, 0, member) end
	if c.due ~= '' then
		redis.call('ZADD', p .. 'due:' .. priority, c.due, c.id)
		redis.call('ZADD', p .. 'priorities', priority, priority)
	end
	if c.done ~= '' then redis.call('ZADD', p .. 'done', c.done, c.id) end
end

-- A new call, or one that changes: what never changes of it is known by then.
local function put(c, isNew)
	local key = p .. 'call:' .. c.id
	local member, priority = c.member, c.priority
	if isNew then
		redis.call('HSET', key, 'member', member, 'priority', priority, 'labels', c.labels,
			'keys', c.keys, 'request', c.request)
		if c.payload ~= '' then redis.call('HSET', key, 'payload', c.payload) end
		redis.call('ZADD', p .. 'all', 0, member)
		for _, label in ipairs(cjson.decode(c.keys)) do redis.call('ZADD', label, 0, member) end
	else
		unplace(c.id)
		member, priority = unpack(redis.call('HMGET', key, 'member', 'priority'))
	end
	redis.call('HSET', key, 'revision', c.revision, 'state', c.state, 'cause', c.cause,
		'due', c.due, 'done', c.done, 'record', c.record)
	if c.outcome ~= '' then
		redis.call('HSET', key, 'outcome', c.outcome)
	elseif c.keeps == '0' then
		redis.call('HDEL', key, 'outcome')
	end
	place(c, member, priority)
	for _, entry in ipairs(cjson.decode(c.entries)) do
		redis.call('RPUSH', p .. 'trail:' .. c.id, entry)
	end
end

local function drop(id)
	local key = p .. 'call:' .. id
	local member, keys = unpack(redis.call('HMGET', key, 'member', 'keys'))
	unplace(id)
	redis.call('ZREM', p .. 'all', member)
	for _, label in ipairs(cjson.decode(keys)) do redis.call('ZREM', label, member) end
	redis.call('DEL', key, p .. 'trail:' .. id)
end

local function call(from)
	if ARGV[from] == nil then return nil end
	local c = {}
	for i, name in ipairs({ '${FIELDS.join("', '")}' }) do c[name] = ARGV[from + i - 1] end
	return c
end

if op == 'version' then
	redis.call('SETNX', p .. 'version', ARGV[3])
	return redis.call('GET', p .. 'version')
end

if op == 'get' then return shown(ARGV[3]) end

if op == 'trail' then return redis.call('LRANGE', p .. 'trail:' .. ARGV[3], 0, -1) end

if op == 'write' then
	local id, expected, drops = ARGV[3], ARGV[4], ARGV[5] == '1'
	local changed, created = call(6), call(6 + ${FIELDS.length})
	if (redis.call('HGET', p .. 'call:' .. id, 'revision') or '0') ~= expected then return 0 end
	if created and redis.call('EXISTS', p .. 'call:' .. created.id) == 1 then return 0 end
	-- Nothing above has written, and nothing below can fail but by the server's end.
	if not drops then put(changed, expected == '0') elseif expected ~= '0' then drop(id) end
	if created then put(created, true) end
	return 1
end

-- Of the sets that a call must be in, the smallest is walked. Gives where to go on, or nothing.
if op == 'list' then
	local limit, after, found = tonumber(ARGV[3]), ARGV[4], {}
	local walked = KEYS[1]
	for _, key in ipairs(KEYS) do
		if redis.call('ZCARD', key) < redis.call('ZCARD', walked) then walked = key end
	end
	for _ = 1, ${STRIDE / 100} do
		local from = after == '' and '-' or '(' .. after
		local members = redis.call('ZRANGEBYLEX', walked, from, '+', 'LIMIT', 0, 100)
		for _, member in ipairs(members) do
			local isIn = true
			for _, key in ipairs(KEYS) do
				isIn = isIn and (key == walked or redis.call('ZSCORE', key, member))
			end
			after = member
			if isIn then found[#found + 1] = shown(string.sub(member, ${'0'.repeat(16).length + 2})) end
			if #found == limit then return { '', found } end
		end
		if #members < 100 then return { '', found } end
	end
	return { after, found }
end

if op == 'due' then
	local now, limit, found = ARGV[3], tonumber(ARGV[4]), {}
	for _, priority in ipairs(redis.call('ZREVRANGE', p .. 'priorities', 0, -1)) do
		local left = limit - #found
		if left == 0 then break end
		local ids = redis.call('ZRANGEBYSCORE', p .. 'due:' .. priority, '-inf', now, 'LIMIT', 0, left)
		for _, id in ipairs(ids) do found[#found + 1] = shown(id) end
	end
	return found
end

if op == 'purge' then
	local ids = redis.call('ZRANGEBYSCORE', p .. 'done', '-inf', '(' .. ARGV[3], 'LIMIT', 0, ARGV[4])
	for _, id in ipairs(ids) do drop(id) end
	return #ids
end

return redis.error_reply('unknown operation')
`;
