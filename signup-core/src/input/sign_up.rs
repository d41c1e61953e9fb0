//! Sign-ups of volunteers: typed and untyped.
//!
//! The event's questions decide which answers are valid. So an untyped form is checked against the questions and the shifts of a
//! [`SignUpForm`](crate::SignUpForm), and the check reports the faults of all fields together.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::fault::{FaultKind, FaultPath, Faults, ValueType};
use crate::hours::Interval;
use crate::id::{QuestionId, ShiftId};
use crate::question::{Question, QuestionKind};
use crate::shift::ScheduledShift;
use crate::signup::Answer;
use crate::text::{AnswerText, EmailAddress, Label, PersonName, is_blank};

/// A typed form: the people of one address, each of whom asks for a place on each shift of the form.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
/// # fn main() -> ExampleResult { example(async |Example { service, created, .. }| {
/// # let slug = created.event.slug;
/// # for (label, kind, options) in [
/// #     ("T-shirt", QuestionKind::Select, vec!["S".parse()?, "M".parse()?]),
/// #     ("I have read the rules", QuestionKind::Checkbox, vec![]),
/// #     ("Diet", QuestionKind::Text, vec![]),
/// # ] {
/// #     let mut new = NewQuestion::new(label.parse()?, kind).required();
/// #     new.options = options;
/// #     service.admin().add_question(created.event.id, new).await?;
/// # }
/// let volunteers = service.volunteers();
/// let form = volunteers.form(&slug, [created.shifts[0].id]).await?;
/// let [shirt, rules, diet] = form.questions() else { panic!("the event has three questions") };
/// let family = NewSignup::new("Ada".parse()?, "ada@example.org".parse()?)
///     .choose(shirt.id, "M".parse()?)
///     .tick(rules.id)
///     .answer(diet.id, "no nuts".parse()?)
///     .and("Byron".parse()?)
///     .choose(shirt.id, "S".parse()?)
///     .tick(rules.id)
///     .answer(diet.id, "none".parse()?);
/// let [ada, byron] = &form.sign_up(family).await?.into_places()?[..] else { panic!("two people") };
/// assert_eq!((ada.signup.name.as_str(), byron.signup.name.as_str()), ("Ada", "Byron"));
/// assert_eq!(ada.signup.answers[0].value.as_str(), "M");
/// # Ok(()) }) }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct NewSignup {
    /// The email address of all people.
    pub email: EmailAddress,
    /// The people: 1 to [`MAX_PEOPLE`](Self::MAX_PEOPLE), nobody twice.
    pub people: Vec<NewVolunteer>,
    /// Whether shifts of the form may overlap.
    pub accepts_overlaps: bool,
    /// Whether people who find no place join the waiting list. Then a shift that [takes](ScheduledShift::takes_waiters) them gives
    /// as many places as it has room for, in the order of the people, and the others wait. Otherwise a shift without room for all
    /// people takes nobody.
    pub joins_waitlist: bool,
}

/// A person of a form, with the answers to the questions of the event.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct NewVolunteer {
    /// The name.
    pub name: PersonName,
    /// The answers by question. A checkbox without an answer is not ticked.
    pub answers: BTreeMap<QuestionId, NewAnswer>,
}

/// A typed answer to a question.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum NewAnswer {
    /// The answer to a [`QuestionKind::Text`].
    Text(AnswerText),
    /// The chosen option of a [`QuestionKind::Select`].
    Choice(Label),
    /// The tick of a [`QuestionKind::Checkbox`].
    Tick,
}

impl NewVolunteer {
    /// Creates a person without answers.
    pub const fn new(name: PersonName) -> Self {
        Self { name, answers: BTreeMap::new() }
    }

    /// Returns the answers in the order of the questions. Ignores an answer to any other question, which may have been
    /// deleted since the volunteer answered it.
    fn answers_to(&self, questions: &[Question], path: &FaultPath, faults: &mut Faults) -> Vec<Answer> {
        let mut answers = Vec::new();
        for question in questions {
            let value = value(question, self.answers.get(&question.id));
            let value = faults.check(answer_path(path, question.id), value).flatten();
            answers.extend(value.map(|value| Answer::new(question.id, question.label.clone(), value)));
        }
        answers
    }
}

impl NewSignup {
    /// The maximum number of people of one form.
    pub const MAX_PEOPLE: usize = 10;
    /// The maximum number of shifts of one form.
    pub const MAX_SHIFTS: usize = 20;
    /// The maximum number of places that one form asks for: the number of its people times the number of its shifts.
    pub const MAX_PLACES: usize = 120;

    /// Creates the form of one person without answers.
    pub fn new(name: PersonName, email: EmailAddress) -> Self {
        Self { email, people: vec![NewVolunteer::new(name)], accepts_overlaps: false, joins_waitlist: false }
    }

    /// Adds a person. The answers that follow are the ones of this person.
    #[must_use]
    pub fn and(mut self, name: PersonName) -> Self {
        self.people.push(NewVolunteer::new(name));
        self
    }

    /// Answers a question that asks for a text. A later answer to the same question replaces an earlier one.
    #[must_use]
    pub fn answer(self, question: QuestionId, text: AnswerText) -> Self {
        self.with(question, NewAnswer::Text(text))
    }

    /// Chooses an option of a select.
    #[must_use]
    pub fn choose(self, question: QuestionId, option: Label) -> Self {
        self.with(question, NewAnswer::Choice(option))
    }

    /// Ticks a checkbox.
    #[must_use]
    pub fn tick(self, question: QuestionId) -> Self {
        self.with(question, NewAnswer::Tick)
    }

    /// Accepts that shifts of the form overlap.
    #[must_use]
    pub fn accepting_overlaps(self) -> Self {
        Self { accepts_overlaps: true, ..self }
    }

    /// Lets people wait who find no place: see [`joins_waitlist`](Self::joins_waitlist).
    #[must_use]
    pub fn or_wait(self) -> Self {
        Self { joins_waitlist: true, ..self }
    }

    fn with(mut self, question: QuestionId, answer: NewAnswer) -> Self {
        if let Some(last) = self.people.last_mut() {
            last.answers.insert(question, answer);
        }
        self
    }

    /// Checks that each answer is to one of these questions. If one is not, returns the faults of all answers.
    pub(crate) fn check_known(&self, questions: &[Question]) -> Result<(), Faults> {
        let (mut faults, mut is_known) = (Faults::new(), true);
        for (index, person) in self.people.iter().enumerate() {
            let path = person_path(index);
            person.answers_to(questions, &path, &mut faults);
            for id in person.answers.keys() {
                if !questions.iter().any(|question| question.id == *id) {
                    is_known = false;
                    faults.add(answer_path(&path, *id), FaultKind::UNKNOWN);
                }
            }
        }
        if is_known { Ok(()) } else { Err(faults) }
    }

    /// Returns the answers of each person, in the order of the questions.
    ///
    /// # Errors
    /// Returns every fault of the answers, of the people and of the shifts of the form.
    pub(crate) fn answers_to(
        &self,
        questions: &[Question],
        shifts: &[ScheduledShift],
    ) -> Result<Vec<Vec<Answer>>, Faults> {
        let mut faults = Faults::new();
        if self.people.is_empty() {
            faults.add("name", FaultKind::Required);
        }
        let people = self.people.iter().enumerate();
        let answers = people.map(|(index, person)| {
            let path = person_path(index);
            check_new(&self.people[..index], &person.name, &path, &mut faults);
            person.answers_to(questions, &path, &mut faults)
        });
        let answers = answers.collect();
        check_places(self.people.len(), shifts, self.accepts_overlaps, &mut faults);
        faults.into_result(Some(answers))
    }
}

/// Checks that a person is not among the people before.
fn check_new(before: &[NewVolunteer], name: &PersonName, path: &FaultPath, faults: &mut Faults) {
    let key = name.key();
    if before.iter().any(|person| person.name.key() == key) {
        faults.add(path.clone().field("name"), FaultKind::Repeated);
    }
}

/// Checks how many places people ask for, and that the shifts do not overlap unless that is accepted.
fn check_places(people: usize, shifts: &[ScheduledShift], accepts_overlaps: bool, faults: &mut Faults) {
    let too_many = |items, max| FaultKind::TooMany { items, max, present: 0 };
    if people > NewSignup::MAX_PEOPLE {
        faults.add("people", too_many("people in one form", NewSignup::MAX_PEOPLE));
    }
    if people * shifts.len() > NewSignup::MAX_PLACES {
        faults.add("shifts", too_many("places in one form", NewSignup::MAX_PLACES));
    }
    if !accepts_overlaps {
        overlaps(shifts).into_iter().for_each(|shifts| faults.add("overlap", FaultKind::Overlap { shifts }));
    }
}

/// Returns each shift that begins before the end of an earlier one, after that earlier one.
fn overlaps(shifts: &[ScheduledShift]) -> Vec<[ShiftId; 2]> {
    let mut shifts: Vec<_> = shifts.iter().map(|shift| (shift.interval(), shift.id)).collect();
    shifts.sort_by_key(|(interval, _)| interval.start);
    let (mut found, mut latest): (Vec<_>, Option<(Interval, ShiftId)>) = (Vec::new(), None);
    for (interval, id) in shifts {
        found
            .extend(latest.filter(|(before, _)| interval.start < before.end).map(|(_, before)| [before, id]));
        if latest.is_none_or(|(before, _)| before.end < interval.end) {
            latest = Some((interval, id));
        }
    }
    found
}

/// An untyped form: the fields as the volunteer filled them in.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SignUpInput<'a> {
    /// The email address: at most 254 characters.
    pub email: Cow<'a, str>,
    /// The people. A row without a text is ignored, except the first.
    pub people: Vec<VolunteerInput<'a>>,
    /// Whether shifts of the form may overlap.
    pub accepts_overlaps: bool,
    /// Whether people who find no place join the waiting list.
    pub joins_waitlist: bool,
}

/// An untyped row of a form: one person.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct VolunteerInput<'a> {
    /// The name: 1 to 255 characters.
    pub name: Cow<'a, str>,
    /// The answers, by the id of the question. Answers to unknown questions are ignored. A checkbox is ticked by any
    /// text other than a blank one, `0`, `false`, `no` or `off`. It is not ticked if it is omitted.
    pub answers: BTreeMap<Cow<'a, str>, Cow<'a, str>>,
}

impl<'a> VolunteerInput<'a> {
    /// Creates a row without answers.
    pub fn new(name: impl Into<Cow<'a, str>>) -> Self {
        Self { name: name.into(), answers: BTreeMap::new() }
    }

    fn is_empty(&self) -> bool {
        std::iter::once(&self.name).chain(self.answers.values()).all(|text| is_blank(text))
    }

    fn answers(
        &self,
        questions: &[Question],
        path: &FaultPath,
        faults: &mut Faults,
    ) -> BTreeMap<QuestionId, NewAnswer> {
        let mut answers = BTreeMap::new();
        for question in questions {
            let text = self.answers.get(question.id.to_string().as_str());
            let answer = text.filter(|text| !is_blank(text)).map_or(Ok(None), |text| read(question, text));
            let answer = answer.and_then(|answer| value(question, answer.as_ref()).map(|_| answer));
            let answer = faults.check(answer_path(path, question.id), answer).flatten();
            answers.extend(answer.map(|answer| (question.id, answer)));
        }
        answers
    }
}

impl<'a> SignUpInput<'a> {
    /// Creates the input of one person without answers.
    pub fn new(name: impl Into<Cow<'a, str>>, email: impl Into<Cow<'a, str>>) -> Self {
        let people = vec![VolunteerInput::new(name)];
        Self { email: email.into(), people, accepts_overlaps: false, joins_waitlist: false }
    }

    /// Checks every field, and every answer to the questions of the event, for a form with these shifts.
    ///
    /// # Errors
    /// Returns every fault. The path of an answer is `answers[<question id>]`. The path of a person after the first is
    /// `people[<row>]`, before `name` or `answers`: the first has the row 0.
    pub fn check(&self, questions: &[Question], shifts: &[ScheduledShift]) -> Result<NewSignup, Faults> {
        let mut faults = Faults::new();
        let (empty, path) = (VolunteerInput::default(), person_path(0));
        let first = self.people.first().unwrap_or(&empty);
        let name = faults.check("name", PersonName::new(&first.name));
        let email = faults.check("email", EmailAddress::new(&self.email));
        let answers = first.answers(questions, &path, &mut faults);
        let mut people: Vec<_> = name.map(|name| NewVolunteer { name, answers }).into_iter().collect();
        let further = self.people.iter().enumerate().skip(1).filter(|(_, person)| !person.is_empty());
        let mut asking = 1;
        for (row, person) in further {
            asking += 1;
            let path = person_path(row);
            let name = faults.check(path.clone().field("name"), PersonName::new(&person.name));
            if let Some(name) = &name {
                check_new(&people, name, &path, &mut faults);
            }
            let answers = person.answers(questions, &path, &mut faults);
            people.extend(name.map(|name| NewVolunteer { name, answers }));
        }
        check_places(asking, shifts, self.accepts_overlaps, &mut faults);
        let Self { accepts_overlaps, joins_waitlist, .. } = *self;
        faults.into_result(email.map(|email| NewSignup { email, people, accepts_overlaps, joins_waitlist }))
    }
}

/// Converts the text of an answer to the kind of its question. Returns `None` for a checkbox that is not ticked.
fn read(question: &Question, text: &str) -> Result<Option<NewAnswer>, FaultKind> {
    const NOT_TICKED: [&str; 4] = ["0", "false", "no", "off"];
    match question.kind {
        QuestionKind::Text => Ok(Some(NewAnswer::Text(AnswerText::new(text)?))),
        QuestionKind::Select => match question.options.iter().find(|option| option.as_str() == text.trim()) {
            Some(option) => Ok(Some(NewAnswer::Choice(option.clone()))),
            None => Err(not_an_option(question)),
        },
        QuestionKind::Checkbox => Ok((!NOT_TICKED.contains(&text.trim())).then_some(NewAnswer::Tick)),
    }
}

/// Returns the text of the answer that is stored; `None` if an optional question is not answered.
fn value(question: &Question, answer: Option<&NewAnswer>) -> Result<Option<AnswerText>, FaultKind> {
    match (question.kind, answer) {
        (QuestionKind::Text, Some(NewAnswer::Text(text))) => Ok(Some(text.clone())),
        (QuestionKind::Select, Some(NewAnswer::Choice(option))) if question.options.contains(option) => {
            Ok(Some(AnswerText::new(option.as_str())?))
        }
        (QuestionKind::Select, Some(NewAnswer::Choice(_))) => Err(not_an_option(question)),
        (QuestionKind::Checkbox, Some(NewAnswer::Tick)) => Ok(Some(AnswerText::new("yes")?)),
        (kind, Some(_)) => Err(ValueType::Answer(kind).into()),
        (QuestionKind::Checkbox, None) if question.required => Err(FaultKind::NotTicked),
        (_, None) if question.required => Err(FaultKind::Required),
        (_, None) => Ok(None),
    }
}

fn not_an_option(question: &Question) -> FaultKind {
    FaultKind::NotAnOption { options: question.options.clone() }
}

/// Returns the path of the person in a row. The first person has the fields of the form itself.
fn person_path(row: usize) -> FaultPath {
    if row == 0 { FaultPath::new() } else { FaultPath::new().field("people").index(row) }
}

fn answer_path(person: &FaultPath, question: QuestionId) -> FaultPath {
    person.clone().field("answers").question(question)
}

#[cfg(test)]
mod tests;
