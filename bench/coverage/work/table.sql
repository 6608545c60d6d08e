-- SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
-- A workload for sqlite3.
create table t(a integer primary key, b text, c real);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 20000)
insert into t select i, printf('name %d', i * 7919 % 10007), i / 3.0 from n;
create index tb on t(b);
select count(*), sum(c), min(b), max(b) from t where b like 'name 1%';
select b, count(*) as k from t group by b order by k desc, b limit 5;
update t set c = c * 2 where a % 3 = 0;
delete from t where a % 7 = 1;
select count(*), total(c), group_concat(distinct substr(b, 6, 1)) from t;
