//! What a browser keeps about a form for the page after it: only what the volunteer typed and chose.
//!
//! Anyone can send any cookie. So every value is checked as if it were typed, and a page escapes it.

use std::collections::BTreeSet;
use std::str::FromStr;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use signup_core::{EmailAddress, NewSignup, PersonName, ShiftId, SignedUp};

/// The name of the cookie.
pub(in crate::page) const NAME: &str = "signed-up";

/// What the cookie holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(in crate::page) struct Kept {
    pub(in crate::page) email: EmailAddress,
    pub(in crate::page) shifts: BTreeSet<ShiftId>,
    /// The names of the people, as far as there is room.
    pub(in crate::page) people: Vec<String>,
    /// The number of the other people.
    pub(in crate::page) others: usize,
    /// Whether people who found no place joined the waiting list.
    #[serde(default)]
    pub(in crate::page) joins_waitlist: bool,
}

impl Kept {
    /// How long a browser keeps the cookie, in seconds.
    pub(in crate::page) const LIFE_S: u32 = 600;
    /// The maximum length of the value of the cookie.
    const MAX: usize = 3 * 1024;

    /// Returns what the browser keeps about a form. Leaves out the last names if the cookie would be too long.
    pub(in crate::page) fn of(new: &NewSignup, signed_up: &SignedUp) -> Self {
        let taken = signed_up.shifts.iter().filter(|outcome| outcome.places.is_ok());
        let mut kept = Self {
            email: new.email.clone(),
            shifts: taken.map(|outcome| outcome.shift.id).collect(),
            people: new.people.iter().map(|person| person.name.to_string()).collect(),
            others: 0,
            joins_waitlist: new.joins_waitlist,
        };
        kept.shorten();
        kept
    }

    /// Returns the number of people.
    pub(in crate::page) fn count(&self) -> usize {
        self.people.len() + self.others
    }

    fn shorten(&mut self) {
        while self.to_string().len() > Self::MAX && self.people.pop().is_some() {
            self.others += 1;
        }
    }
}

impl std::fmt::Display for Kept {
    /// Writes the value of the cookie, in Base64.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let json = serde_json::to_vec(self).map_err(|_| std::fmt::Error)?;
        f.write_str(&URL_SAFE_NO_PAD.encode(json))
    }
}

/// The cookie is not one that this server wrote.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::page) struct Unreadable;

impl FromStr for Kept {
    type Err = Unreadable;

    fn from_str(text: &str) -> Result<Self, Unreadable> {
        let json = URL_SAFE_NO_PAD.decode(text).map_err(|_| Unreadable)?;
        let kept: Self = serde_json::from_slice(&json).map_err(|_| Unreadable)?;
        let are_names = kept.people.iter().all(|name| PersonName::new(name).is_ok());
        let count = kept.others.saturating_add(kept.people.len());
        let is_of_form = are_names
            && !kept.people.is_empty()
            && (1..=NewSignup::MAX_PEOPLE).contains(&count)
            && kept.shifts.len() <= NewSignup::MAX_SHIFTS;
        if is_of_form { Ok(kept) } else { Err(Unreadable) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(people: &[String], shifts: usize, email: &str) -> Kept {
        let mut new = NewSignup::new(people[0].parse().unwrap(), email.parse().unwrap());
        for name in &people[1..] {
            new = new.and(name.parse().unwrap());
        }
        let mut kept = Kept {
            email: new.email.clone(),
            shifts: (0..shifts)
                .map(|_| ShiftId::new(signup_core::new_uuid(jiff::Timestamp::UNIX_EPOCH)))
                .collect(),
            people: people.to_vec(),
            others: 0,
            joins_waitlist: true,
        };
        kept.shorten();
        kept
    }

    #[test]
    fn a_cookie_reads_back_and_has_at_most_3_kilobytes() {
        let longest = |number: usize| format!("{number}{}", "😀".repeat(254));
        for (people, shifts, email, shown) in [
            (vec!["Ada".to_owned()], 1, "ada@example.org", 1),
            ((0..10).map(|number| format!("Ada {number}")).collect(), 12, "ada@example.org", 10),
            ((0..10).map(longest).collect(), 12, "ada@example.org", 1),
            ((0..10).map(longest).collect(), 20, "ada@example.org", 1),
        ] {
            let kept = kept(&people, shifts, email);
            let value = kept.to_string();
            assert!(value.len() <= 3072, "{}", value.len());
            assert_eq!((kept.people.len(), kept.others), (shown, people.len() - shown));
            assert_eq!(value.parse(), Ok(kept));
        }
    }

    #[test]
    fn what_no_form_has_is_unreadable() {
        let write = |json: &str| URL_SAFE_NO_PAD.encode(json).parse::<Kept>();
        let with = |people: &str, others: &str, email: &str| {
            write(&format!(r#"{{"email":"{email}","shifts":[],"people":{people},"others":{others}}}"#))
        };
        assert!(with(r#"["Ada"]"#, "0", "ada@example.org").is_ok());
        for broken in [
            with(r#"["Ada"]"#, "10", "ada@example.org"),
            with(r#"["Ada"]"#, "18446744073709551615", "ada@example.org"),
            with(r#"[]"#, "0", "ada@example.org"),
            with(r#"["a\u0007b"]"#, "0", "ada@example.org"),
            with(r#"[""]"#, "0", "ada@example.org"),
            with(r#"["Ada"]"#, "0", "ada"),
            write("{}"),
            write("\u{0}"),
            "%%%".parse(),
            "".parse(),
        ] {
            assert_eq!(broken, Err(Unreadable));
        }
    }
}
