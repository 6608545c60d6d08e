-- SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
-- Compiled loops, errors, stack overflows, coroutines and calls back from C, until
-- the file that is named is gone.
local ffi = require "ffi"
ffi.cdef [[ int getpid(void); int usleep(unsigned);
void qsort(void *, size_t, size_t, int (*)(const void *, const void *)); ]]
local right, rounds, sum = true, 0, 0
local function deep(n) if n == 0 then error("x") end return deep(n - 1) + 1 end
local function forever(n) return 1 + forever(n + 1) end
local function going()
	local file = io.open(arg[1])
	if file then file:close() end
	return file
end
local function less(x, y)
	return ffi.cast("const int *", x)[0] - ffi.cast("const int *", y)[0]
end
io.write("ready\n")
io.flush()
while going() do
	rounds = rounds + 1
	for i = 1, 2000 do sum = sum + (i % 7) * 1.5; ffi.C.getpid() end
	right = right and not pcall(deep, 50) and not pcall(forever, 0)
	local yields = coroutine.wrap(function()
		for i = 1, 50 do coroutine.yield(i) end
	end)
	local total = 0
	for _ = 1, 50 do total = total + yields() end
	local array = ffi.new("int[50]")
	for i = 0, 49 do array[i] = 50 - i end
	local back = ffi.cast("int (*)(const void *, const void *)", less)
	ffi.C.qsort(array, 50, 4, back)
	back:free()
	right = right and total == 1275 and array[0] == 1 and array[49] == 50
	collectgarbage("step")
	ffi.C.usleep(1000)	-- where a thread can be borrowed
end
print("done " .. tostring(right and rounds > 0))
