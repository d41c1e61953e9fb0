//! What a database is filled with, in both engines' words.

/// Organizations, and the events of each: every one with a shift, nine of ten published, all of them over.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Population {
    pub(crate) organizations: u32,
    pub(crate) events: u32,
}

/// What the engines say differently.
pub(crate) struct Words {
    /// The number as an id.
    pub(crate) id: fn(number: &str) -> String,
    /// A table of the numbers `n` from 1 to the last.
    pub(crate) numbers: fn(last: u32) -> String,
    /// The day that is so many days after the first of 1970.
    pub(crate) day: fn(days: &str) -> String,
    pub(crate) no: &'static str,
}

impl Population {
    /// The statements that make it. Organizations and events have their numbers as ids, and events of one organization
    /// follow each other; sixty start on a day. Slugs are spread evenly, so that new ones fall among them.
    pub(crate) fn statements(self, words: &Words) -> [String; 3] {
        let Self { organizations, events } = self;
        let Words { id, numbers, day, no } = words;
        let owner = id(&format!("(n - 1) / {events} + 1"));
        [
            format!(
                "INSERT INTO organizations (id, name, slug, plan, created_at) \
                 SELECT {}, 'Many', 'many-' || n, 'pro', 0 FROM {}",
                id("n"),
                numbers(organizations),
            ),
            format!(
                "INSERT INTO events (organization_id, id, title, slug, is_virtual, start_date, timezone, is_published, \
                 created_at, updated_at, starts_at, ends_at) SELECT {owner}, {}, 'Food drive', 'food-drive-' || {} || {} || n, \
                 {no}, {}, 'UTC', n % 10 > 0, 0, 0, n / 60 * 86400, n / 60 * 86400 + 86400 FROM {}",
                id("n"),
                letter("n"),
                letter("n / 34"),
                day("n / 60"),
                numbers(organizations * events),
            ),
            "INSERT INTO shifts (organization_id, event_id, id, title, start_minute, end_minute, capacity, position, version, \
             created_at, updated_at) SELECT organization_id, id, id, 'Packing', 540, 720, 8, 0, 1, 0, 0 FROM events"
                .to_owned(),
        ]
    }
}

/// One of the letters that slugs end with, in turn.
fn letter(number: &str) -> String {
    format!("substr('abcdefghijklmnopqrstuvwxyz23456789', 1 + CAST({number} % 34 AS integer), 1)")
}
