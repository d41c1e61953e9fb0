//! The records of a new database, as SQL for both engines.

/// The numbers of organizations and of the events of each. Each event has one shift and is in the past. Nine of ten events
/// are published.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Population {
    pub(crate) organizations: u32,
    pub(crate) events: u32,
    pub(crate) purge: Option<Purge>,
}

/// Deleted records for a purge, and notices that stay.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Purge {
    /// The number of deleted shifts. Half of them belong to deleted events with 500 shifts each, and the others to live
    /// events.
    pub(crate) shifts: u32,
    /// The number of notices, which belong to shifts of live events.
    pub(crate) notices: u32,
}

/// The SQL expressions in which the engines differ.
pub(crate) struct Words {
    /// Returns the id that stands for a number.
    pub(crate) id: fn(number: &str) -> String,
    /// Returns a table of the numbers `n` from 1 to `last`.
    pub(crate) numbers: fn(last: u32) -> String,
    /// Returns the day at this distance from the first of January 1970.
    pub(crate) day: fn(days: &str) -> String,
    /// The boolean false.
    pub(crate) no: &'static str,
}

impl Population {
    /// Returns the statements that insert the records.
    ///
    /// Ids of organizations and events are consecutive numbers, and so are the ids of one organization's events. Sixty events
    /// start on each day. Slugs are spread evenly, so that new slugs sort between them.
    pub(crate) fn statements(self, words: &Words) -> Vec<String> {
        let Self { organizations, events, purge } = self;
        let Words { id, numbers, day, no } = words;
        let owner = id(&format!("(n - 1) / {events} + 1"));
        let mut statements = vec![
            format!(
                "INSERT INTO organizations (id, name, slug, plan, version, gate, created_at) \
                 SELECT {}, 'Many', 'many-' || n, 'pro', 1, 1, 0 FROM {}",
                id("n"),
                numbers(organizations),
            ),
            format!(
                "INSERT INTO events (organization_id, id, title, slug, is_virtual, start_date, timezone, is_published, \
                 version, gate, created_at, updated_at, starts_at, ends_at, length_class) \
                 SELECT {owner}, {}, 'Food drive', 'food-drive-' || {} || {} || n, {no}, {}, 'UTC', n % 10 > 0, 1, 1, 0, 0, n / 60 * 86400, n / 60 * 86400 + 86400, 0 FROM {}",
                id("n"),
                letter("n"),
                letter("n / 34"),
                day("n / 60"),
                numbers(organizations * events),
            ),
            "INSERT INTO shifts (organization_id, event_id, id, title, start_minute, end_minute, capacity, filled, position, \
             version, gate, created_at, updated_at, ends_at) SELECT organization_id, id, id, 'Packing', 540, 720, 8, 0, 0, 1, 1, 0, 0, \
             starts_at + 43200 FROM events"
                .to_owned(),
        ];
        statements.extend(purge.into_iter().flat_map(|purge| purge.statements(events, words)));
        statements
    }
}

impl Purge {
    /// Returns the statements that insert the records into the first organization, which has this number of live events.
    fn statements(self, events: u32, words: &Words) -> [String; 3] {
        let Words { id, numbers, day, no } = words;
        let deleted_events = self.shifts.div_ceil(1000);
        let (owner, live) = (id("1"), id(&format!("n % {events} + 1")));
        let deleted = |number: &str| id(&format!("1000000000 + {number}"));
        [
            format!(
                "INSERT INTO events (organization_id, id, title, slug, is_virtual, start_date, timezone, is_published, \
                 version, gate, created_at, updated_at, starts_at, ends_at, length_class, deleted_at) \
                 SELECT {owner}, {}, 'Food drive', 'deleted-' || n, {no}, {}, 'UTC', {no}, 1, 1, 0, 0, 0, 86400, 0, 0 FROM {}",
                deleted("n"),
                day("0"),
                numbers(deleted_events),
            ),
            format!(
                "INSERT INTO shifts (organization_id, event_id, id, title, start_minute, end_minute, capacity, filled, \
                 position, version, gate, created_at, updated_at, deleted_at, ends_at) SELECT {owner}, \
                 CASE n % 2 WHEN 0 THEN {live} ELSE {} END, {}, 'Packing', 540, 720, 8, 0, 0, 1, 1, 0, 0, 0, 43200 FROM {}",
                deleted(&format!("n / 2 % {deleted_events} + 1")),
                deleted("n"),
                numbers(self.shifts),
            ),
            format!(
                "INSERT INTO notices (organization_id, id, event_id, shift_id, cause, version, attempts, created_at, due_at) \
                 SELECT {owner}, {}, {live}, {live}, '{}', 1, 0, 0, 0 FROM {}",
                deleted("n"),
                r#"{"kind": "shift_deleted", "fanned_out_to": null}"#,
                numbers(self.notices),
            ),
        ]
    }
}

/// Returns an expression for one of the letters of slugs, by `number` modulo 34.
fn letter(number: &str) -> String {
    format!("substr('abcdefghijklmnopqrstuvwxyz23456789', 1 + CAST({number} % 34 AS integer), 1)")
}
