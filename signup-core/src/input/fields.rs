//! The reader of an untyped input: takes fields by name, collects every fault in that order, and knows at the end which members
//! nothing took.
//!
//! A field is one expression: its name, its type, its bound, and what omitting it means. So the code that makes a typed input is
//! the declaration of its fields.

use std::borrow::Cow;
use std::str::FromStr;

use super::field::{Field, FieldFaults, Value, shift_path};
use super::json::{Input, Member, Parsed, Untyped, elements};
use crate::event::Event;
use crate::fault::{FaultKind, FaultPath, Faults, PathStep, UnknownName, ValueType};
use crate::question::Question;
use crate::text::is_blank;
use crate::token::Scope;
use crate::value_error::ValueError;
use crate::webhook::Webhook;

// A longer list of texts has a fault, whatever its field is.
const _: () =
    assert!(Webhook::MAX_TYPES <= Question::MAX_OPTIONS && Scope::ALL.len() <= Question::MAX_OPTIONS);

/// The list whose elements have members of their own.
const SHIFTS: &str = "shifts";

/// The fields of an input, or of an element of `shifts`.
#[derive(Debug)]
pub(super) struct Fields<'a> {
    input: Input<'a>,
    /// Whether the input changes a record, so that each of its fields may be omitted.
    is_change: bool,
    taken: Vec<&'static str>,
    faults: FieldFaults,
    /// The unknown members of the elements of `shifts`, each with the index of its element.
    unknown_in_shifts: Vec<(u32, Cow<'a, str>)>,
}

/// An element of a list of texts; `None` for a value of another type.
pub(super) type TextElement<'a> = Option<Cow<'a, str>>;
/// An element of a list of objects; `None` for a value of another type.
pub(super) type ObjectElement<'a> = Option<Input<'a>>;

impl<'a> Fields<'a> {
    /// The fields of a new record.
    pub(super) const fn new(input: Input<'a>) -> Self {
        Self {
            input,
            is_change: false,
            taken: Vec::new(),
            faults: FieldFaults { all: Faults::new(), shift: None },
            unknown_in_shifts: Vec::new(),
        }
    }

    /// The fields of a change of a record.
    pub(super) fn of_change(input: Input<'a>) -> Self {
        Self { is_change: true, ..Self::new(input) }
    }

    /// Takes any text.
    pub(super) fn string(&mut self, name: &'static str) -> Field<'_, Cow<'a, str>> {
        self.take(name, ValueType::Text, |value| match value {
            Parsed::Text(text) => Some(text),
            _ => None,
        })
    }

    /// Takes a text that `T` parses.
    pub(super) fn text<T: FromStr<Err: Into<FaultKind>>>(&mut self, name: &'static str) -> Field<'_, T> {
        self.string(name).check(|text| text.parse())
    }

    /// Takes a text of a query. A blank one counts as omitted.
    pub(super) fn words<T: FromStr<Err: Into<FaultKind>>>(&mut self, name: &'static str) -> Option<T> {
        let words = self.string(name).check(|text| match is_blank(&text) {
            true => Ok(None),
            false => text.parse().map(Some),
        });
        words.nullable().flatten()
    }

    pub(super) fn number(&mut self, name: &'static str) -> Field<'_, f64> {
        self.take(name, ValueType::Number, |value| match value {
            Parsed::Number(number) => Some(number),
            _ => None,
        })
    }

    /// Takes a whole number. `check` gets `None` for a number that is not whole or not in the range of a `u32`. The fault of a
    /// value of another type is `out_of_range`, which names the bounds.
    pub(super) fn whole_number<T>(
        &mut self,
        name: &'static str,
        out_of_range: ValueError,
        check: impl FnOnce(Option<u32>) -> Result<T, ValueError>,
    ) -> Field<'_, T> {
        self.number(name).mistyped_is(out_of_range).check(|number| check(whole(number)))
    }

    /// Takes a flag: true or false, and in a query also 1 or 0.
    pub(super) fn flag(&mut self, name: &'static str) -> Field<'_, bool> {
        let is_of_query = self.input.members.iter().any(|member| is_text(member, name));
        let expected = if is_of_query { ValueType::FlagText } else { ValueType::Flag };
        self.take(name, expected, |value| match value {
            Parsed::Flag(flag) => Some(flag),
            Parsed::Text(text) if is_of_query => match &*text {
                "true" | "1" => Some(true),
                "false" | "0" => Some(false),
                _ => None,
            },
            _ => None,
        })
    }

    /// Takes `notify_volunteers`, and returns whether it is false.
    pub(super) fn without_mail(&mut self) -> bool {
        self.flag("notify_volunteers").optional() == Some(false)
    }

    /// Takes an object as JSON text.
    pub(super) fn object(&mut self, name: &'static str) -> Field<'_, &'a str> {
        self.take(name, ValueType::Object, |value| match value {
            Parsed::Object(json) => Some(json),
            _ => None,
        })
    }

    /// Takes a list of texts. Only the first are read, and one more than any list may have.
    pub(super) fn texts(&mut self, name: &'static str) -> Field<'_, Vec<TextElement<'a>>> {
        let text = |element: Untyped<'a>| match element.parse() {
            Parsed::Text(text) => Some(text),
            Parsed::Empty if element.is_string() => Some(Cow::Borrowed("")),
            _ => None,
        };
        self.take(name, ValueType::TextList, |value| match value {
            Parsed::List(json) => {
                let elements = elements(json, Question::MAX_OPTIONS + 1).ok()?;
                Some(elements.into_iter().map(text).collect())
            }
            _ => None,
        })
    }

    /// Checks each element of a list of texts, and returns those without a fault.
    pub(super) fn each_text<T>(
        &mut self,
        name: &'static str,
        elements: Option<Vec<TextElement<'a>>>,
        mut check: impl FnMut(T) -> Result<T, FaultKind>,
    ) -> Vec<T>
    where
        T: FromStr<Err: Into<FaultKind>>,
    {
        let mut valid = Vec::new();
        for (index, element) in elements.into_iter().flatten().enumerate() {
            let checked = match element {
                Some(text) => text.parse::<T>().map_err(Into::into).and_then(&mut check),
                None => Err(ValueType::Text.into()),
            };
            valid.extend(self.faults.all.check(FaultPath::new().field(name).index(index), checked));
        }
        valid
    }

    /// Takes the list `shifts`. Only the first elements are read, and one more than a list may have.
    pub(super) fn shifts(&mut self) -> Field<'_, Vec<ObjectElement<'a>>> {
        let object = |element: Untyped<'a>| match element.parse() {
            Parsed::Object(json) => Input::of_object(json).ok(),
            _ => None,
        };
        self.take(SHIFTS, ValueType::ObjectList, |value| match value {
            Parsed::List(json) => {
                let elements = elements(json, Event::MAX_NEW_SHIFTS + 1).ok()?;
                Some(elements.into_iter().map(object).collect())
            }
            _ => None,
        })
    }

    /// Reads each element of `shifts`, and returns what `read` makes of the elements.
    pub(super) fn each_shift<T>(
        &mut self,
        elements: Option<Vec<ObjectElement<'a>>>,
        mut read: impl FnMut(&mut Fields<'a>) -> Vec<T>,
    ) -> Vec<T> {
        let mut all = Vec::new();
        for (index, element) in (0..).zip(elements.into_iter().flatten()) {
            let Some(element) = element else {
                self.faults.all.add(shift_path(index), ValueType::Object);
                continue;
            };
            let has_lengths = self.input.has_lengths;
            let element = Input { ignored: self.input.ignored_in_shifts, has_lengths, ..element };
            let mut fields = Self::new(element);
            fields.faults.shift = Some(index);
            all.extend(read(&mut fields));
            let Self { input, taken, faults, .. } = fields;
            self.faults.all.append(faults.all);
            let members = input.members.into_iter().map(|member| member.name);
            let unknown = members.filter(|name| is_unknown(name, &taken, input.ignored));
            self.unknown_in_shifts.extend(unknown.map(|name| (index, name)));
        }
        all
    }

    /// Counts the field as known, whatever its value is.
    pub(super) fn ignore(&mut self, name: &'static str) {
        self.taken.push(name);
    }

    /// Returns whether each shift says how long its parts are.
    pub(super) const fn has_lengths(&self) -> bool {
        self.input.has_lengths
    }

    /// Returns whether the input has the field.
    pub(super) fn has(&self, name: &str) -> bool {
        self.input.members.iter().any(|member| member.name == name)
    }

    pub(super) const fn is_change(&self) -> bool {
        self.is_change
    }

    /// Returns the number of faults so far.
    pub(super) const fn fault_count(&self) -> usize {
        self.faults.all.len()
    }

    pub(super) fn fault(&mut self, name: &'static str, kind: impl Into<FaultKind>) {
        self.faults.add(name, kind);
    }

    pub(super) fn faults(&mut self) -> &mut Faults {
        &mut self.faults.all
    }

    /// Adds the error of a check as a fault of the field.
    pub(super) fn checked<T, E: Into<FaultKind>>(
        &mut self,
        name: &'static str,
        checked: Result<T, E>,
    ) -> Option<T> {
        checked.map_err(|error| self.fault(name, error)).ok()
    }

    /// Returns `value` if there is no fault and no unknown member.
    ///
    /// # Errors
    /// Returns every fault: those of the fields in the order in which they were taken, and then the unknown members in the order of
    /// the text.
    pub(super) fn finish<T>(self, value: Option<T>) -> Result<T, Faults> {
        let (taken, ignored) = (&self.taken, self.input.ignored);
        // The list that counts is the last one.
        let shifts_at = self.input.members.iter().rposition(|member| member.name == SHIFTS);
        let in_shifts = self.unknown_in_shifts.as_slice();
        let unknown = self.input.members.iter().enumerate().flat_map(|(at, Member { name, .. })| {
            let inner: &[_] = if Some(at) == shifts_at { in_shifts } else { &[] };
            let inner = inner.iter().map(|(index, name)| UnknownName { shift: Some(*index), name });
            let outer = is_unknown(name, taken, ignored).then_some(UnknownName { shift: None, name });
            inner.chain(outer)
        });
        let mut faults = self.faults.all;
        faults.add_unknown(unknown);
        let faults = match self.input.meant {
            Some(meant) => faults.with_meant(|path| match path.steps() {
                [PathStep::Member(name)] => meant(taken, name),
                _ => None,
            }),
            None => faults,
        };
        faults.into_result(value)
    }

    /// Takes the last value of a name. `convert` returns `None` for a value of another type.
    fn take<T>(
        &mut self,
        name: &'static str,
        mistyped: ValueType,
        convert: impl FnOnce(Parsed<'a>) -> Option<T>,
    ) -> Field<'_, T> {
        let mut value = Value::Omitted;
        if self.input.only.is_none_or(|only| only.contains(&name)) {
            self.taken.push(name);
            let last = self.input.members.iter().rev().find(|member| member.name == name);
            value = last.map_or(Value::Omitted, |member| match member.value.parse() {
                Parsed::Omitted => Value::Omitted,
                Parsed::Empty => Value::Empty,
                other => convert(other).map_or(Value::Mistyped, Value::Valid),
            });
        }
        Field { found: &mut self.faults, is_change: self.is_change, name, value, mistyped: mistyped.into() }
    }
}

fn is_text(member: &Member<'_>, name: &str) -> bool {
    matches!(member.value, Untyped::Text(_)) && member.name == name
}

fn is_unknown(name: &str, taken: &[&'static str], ignored: &[&'static str]) -> bool {
    !taken.contains(&name) && !ignored.contains(&name)
}

/// Returns the number if it is whole and in the range of a `u32`.
pub(super) fn whole(number: f64) -> Option<u32> {
    let is_whole = number.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&number);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "whole, and in the range of a u32"
    )]
    is_whole.then_some(number as u32)
}
