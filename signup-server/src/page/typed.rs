//! The fields of a sign-up form, as they were sent.

use std::borrow::Cow;
use std::collections::BTreeSet;

use signup_core::{NewSignup, ShiftId, SignUpInput, VolunteerInput};

pub(super) const SHIFT: &str = "slot_id";
pub(super) const NAME: &str = "name";
pub(super) const EMAIL: &str = "email";
/// The tick that accepts shifts that overlap.
pub(super) const OVERLAP: &str = "overlap";
/// The field with which people who find no place join the waiting list.
pub(super) const WAITLIST: &str = "waitlist";
/// The button that shows only the shifts with places.
pub(super) const OPEN: &str = "open";
/// The button that adds a person.
pub(super) const ADD: &str = "add";
/// The field of a form that was sent to choose other shifts, and keeps what was typed about the people.
pub(super) const CHANGE: &str = "change";
/// The value with which [`CHANGE`] shows the shifts. Any other value shows the form for those that were chosen.
pub(super) const TO_SHIFTS: &str = "shifts";

/// The maximum number of form fields that are read. No form of the pages has nearly as many.
const MAX_FIELDS: usize = 1000;

/// The maximum size of a form that a page keeps for another try, in bytes.
const MAX_KEPT: usize = 64 * 1024;

/// The fields of a form in their order. The last value of a repeated field counts, except for the shifts.
#[derive(Debug, Default)]
pub(super) struct Typed(Vec<(String, String)>);

impl Typed {
    /// Parses a body, or a query.
    pub(super) fn parse(text: &[u8]) -> Self {
        let fields = form_urlencoded::parse(text).take(MAX_FIELDS);
        Self(fields.map(|(name, value)| (name.into_owned(), value.into_owned())).collect())
    }

    /// Returns only the chosen shifts, whether to join their waiting lists, and whether the page shows only those with places.
    pub(super) fn only_shifts(self) -> Self {
        Self(self.0.into_iter().filter(|(name, _)| is_choice(name)).collect())
    }

    /// Parses the body of a form that was sent to a path with this query. If the form was sent to choose other shifts, the fields
    /// in the query count, in place of those that choose shifts if the query chooses any. A button leads to such a path.
    pub(super) fn sent(body: &[u8], query: &str) -> Self {
        let typed = Self::parse(body);
        if !typed.changes_shifts() {
            return typed;
        }
        let chosen = Self::parse(query.as_bytes()).only_shifts();
        let replaces = !chosen.shifts().is_empty();
        let rest = typed.0.into_iter().filter(|(name, _)| !(replaces && is_choice(name)));
        Self(rest.chain(chosen.0).collect())
    }

    /// Returns the fields for another try. `None` if there are none, or more than a page keeps.
    pub(super) fn to_keep(&self) -> Option<&[(String, String)]> {
        let size: usize = self.0.iter().map(|(name, value)| name.len() + value.len()).sum();
        (1..=MAX_KEPT).contains(&size).then_some(&self.0)
    }

    /// Returns what was typed about the people, for a form for other shifts, unless it is more than a page keeps.
    pub(super) fn of_people(&self) -> Vec<(String, String)> {
        let is_about_people = |(name, value): &&(String, String)| {
            !value.is_empty() && (name == EMAIL || row_of(name).is_some())
        };
        self.to_keep().into_iter().flatten().filter(is_about_people).cloned().collect()
    }

    /// Returns whether nothing was typed yet.
    pub(super) fn is_new(&self) -> bool {
        self.0.iter().all(|(name, _)| is_choice(name))
    }

    /// Returns the value of a field that was sent.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().rev().find(|(found, _)| found == name).map(|(_, value)| value.as_str())
    }

    /// Returns the value of a field; an empty text if the field was not sent.
    pub(super) fn value(&self, name: &str) -> &str {
        self.get(name).unwrap_or("")
    }

    /// Returns whether the form was sent to add a person.
    pub(super) fn adds_person(&self) -> bool {
        !self.value(ADD).is_empty()
    }

    /// Returns whether the form was sent to show the shifts.
    pub(super) fn goes_to_shifts(&self) -> bool {
        self.value(CHANGE) == TO_SHIFTS
    }

    /// Returns whether the form was sent to show it for the chosen shifts.
    pub(super) fn goes_to_form(&self) -> bool {
        self.changes_shifts() && !self.goes_to_shifts()
    }

    /// Returns whether the form was sent to choose other shifts, or for those that were chosen.
    pub(super) fn changes_shifts(&self) -> bool {
        !self.value(CHANGE).is_empty()
    }

    /// Returns whether the form was sent to sign people up.
    pub(super) fn signs_up(&self) -> bool {
        !self.adds_person() && !self.changes_shifts()
    }

    /// Returns whether people who find no place join the waiting list.
    pub(super) fn joins_waitlist(&self) -> bool {
        !self.value(WAITLIST).is_empty()
    }

    /// Returns whether the page is to show only the shifts with places.
    pub(super) fn wants_open(&self) -> bool {
        !self.value(OPEN).is_empty()
    }

    /// Returns the chosen shifts. What is no id is [`ShiftId::NONE`], which no shift has.
    pub(super) fn shifts(&self) -> BTreeSet<ShiftId> {
        let values = self.0.iter().filter(|(name, value)| name == SHIFT && !value.is_empty());
        values.map(|(_, id)| id.parse().unwrap_or(ShiftId::NONE)).collect()
    }

    /// Returns the number of rows for people that the form had, at least 1.
    pub(super) fn rows(&self) -> usize {
        let rows = self.0.iter().filter_map(|(name, _)| row_of(name)).map(|(row, _)| row + 1);
        rows.max().unwrap_or(1)
    }

    /// Returns the number of people who were typed, at least 1.
    pub(super) fn people(&self) -> usize {
        let named = |row: &usize| !self.value(&format!("{}{NAME}", prefix(*row))).trim().is_empty();
        1 + (1..self.rows()).filter(named).count()
    }

    /// Returns the number of places that the form asks for, at least 1.
    pub(super) fn places(&self) -> usize {
        self.people() * self.shifts().len().clamp(1, NewSignup::MAX_SHIFTS)
    }

    pub(super) fn input(&self) -> SignUpInput<'_> {
        let mut people = vec![VolunteerInput::default(); self.rows()];
        for (name, value) in &self.0 {
            let Some((row, field)) = row_of(name) else { continue };
            let value = Cow::from(value.as_str());
            if field == NAME {
                people[row].name = value;
            } else if let Some(question) = field.strip_prefix("answer.") {
                people[row].answers.insert(question.into(), value);
            }
        }
        let mut input = SignUpInput::new("", self.value(EMAIL));
        input.people = people;
        input.accepts_overlaps = !self.value(OVERLAP).is_empty();
        input.joins_waitlist = self.joins_waitlist();
        input
    }
}

fn is_choice(name: &str) -> bool {
    [SHIFT, WAITLIST, OPEN].contains(&name)
}

/// Returns what stands before the name of a field of the person in this row.
pub(super) fn prefix(row: usize) -> String {
    if row == 0 { String::new() } else { format!("people.{row}.") }
}

/// Returns the row of the person that a field is about, and the rest of its name.
fn row_of(name: &str) -> Option<(usize, &str)> {
    let (row, field) = match name.strip_prefix("people.") {
        None => (0, name),
        Some(rest) => {
            let (row, field) = rest.split_once('.')?;
            let is_canonical = !row.starts_with(['0', '+']);
            (row.parse().ok().filter(|_| is_canonical)?, field)
        }
    };
    (row < NewSignup::MAX_PEOPLE && (field == NAME || field.starts_with("answer."))).then_some((row, field))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_person_has_a_row_and_unknown_fields_have_none() {
        let typed = Typed::parse(
            b"name=Ada&answer.q=a&people.2.name=Cy&people.2.answer.q=c&people.1.name=&email=a%40b&people.0.name=x\
              &people.10.name=x&people.01.name=x&people.%2B1.name=x&people.1=x&people.1.email=x&name=Ada+L&other=1",
        );
        let input = typed.input();
        let rows =
            input.people.iter().map(|person| (&*person.name, person.answers.get("q").map(|text| &**text)));
        assert_eq!(
            rows.collect::<Vec<_>>(),
            [("Ada L", Some("a")), ("", None), ("Cy", Some("c"))],
            "the last value counts"
        );
        assert_eq!((&*input.email, input.accepts_overlaps, input.joins_waitlist), ("a@b", false, false));
        assert_eq!(typed.places(), 2);
        assert_eq!(Typed::default().input().people.len(), 1);
        let [overlap, waitlist] = [b"overlap=1".as_slice(), b"waitlist=1"].map(|text| {
            let typed = Typed::parse(text);
            let input = typed.input();
            (input.accepts_overlaps, input.joins_waitlist)
        });
        assert_eq!((overlap, waitlist), ((true, false), (false, true)));
    }

    #[test]
    fn a_page_keeps_what_was_typed_up_to_a_size() {
        let typed = |length: usize| Typed::parse(format!("answer.q={}", "x".repeat(length)).as_bytes());
        let name = "answer.q".len();
        for (length, is_kept) in [(1, true), (MAX_KEPT - name, true), (MAX_KEPT - name + 1, false)] {
            let typed = typed(length);
            assert_eq!((typed.to_keep().is_some(), typed.of_people().len()), (is_kept, is_kept.into()));
        }
        assert!(Typed::default().to_keep().is_none());
    }

    #[test]
    fn a_form_asks_for_a_place_for_each_person_on_each_shift() {
        let id = |number: u8| format!("slot_id=0192abcd-0000-7000-8000-0000000000{number:02}&");
        let shifts = |count| (1..=count).map(id).collect::<String>();
        for (count, rest, places) in [
            (0, "name=", 1),
            (3, "name=", 3),
            (3, "name=a&people.1.name=b&people.2.name=+&people.9.name=c", 9),
            (40, "name=a", 20),
        ] {
            assert_eq!(Typed::parse((shifts(count) + rest).as_bytes()).places(), places, "{count} {rest}");
        }
        let twice = Typed::parse((id(1) + &id(1) + "slot_id=&slot_id=x").as_bytes());
        assert_eq!(twice.shifts().len(), 2);
        assert!(twice.shifts().contains(&ShiftId::NONE));
    }
}
