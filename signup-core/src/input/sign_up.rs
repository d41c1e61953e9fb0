//! Sign-ups of volunteers: typed and untyped.
//!
//! The event's questions decide which answers are valid. So an untyped sign-up is checked against the questions of a
//! [`SignUpForm`](crate::SignUpForm), and the check reports the faults of the name, the address and the answers together.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::fault::{FaultKind, FaultPath, Faults, ValueType};
use crate::id::QuestionId;
use crate::question::{Question, QuestionKind};
use crate::signup::Answer;
use crate::text::{AnswerText, EmailAddress, Label, PersonName, is_blank};

/// A typed sign-up. Each question is answered at most once: a later answer replaces an earlier one.
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
/// let form = volunteers.form(&slug, created.shifts[0].id).await?;
/// let [shirt, rules, diet] = form.questions() else { panic!("the event has three questions") };
/// let ada = NewSignup::new("Ada".parse()?, "ada@example.org".parse()?)
///     .choose(shirt.id, "M".parse()?)
///     .tick(rules.id)
///     .answer(diet.id, "no nuts".parse()?);
/// let signed_up = form.sign_up(ada).await?;
/// assert_eq!(signed_up.signup.answers[0].value.as_str(), "M");
/// # Ok(()) }) }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct NewSignup {
    /// The name of the volunteer.
    pub name: PersonName,
    /// The email address.
    pub email: EmailAddress,
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

impl NewSignup {
    /// Creates a sign-up without answers.
    pub const fn new(name: PersonName, email: EmailAddress) -> Self {
        Self { name, email, answers: BTreeMap::new() }
    }

    /// Answers a question that asks for a text.
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

    fn with(mut self, question: QuestionId, answer: NewAnswer) -> Self {
        self.answers.insert(question, answer);
        self
    }

    /// Checks that each answer is to one of these questions. If one is not, returns the faults of all answers.
    pub(crate) fn check_known(&self, questions: &[Question]) -> Result<(), Faults> {
        let is_unknown = |id: &&QuestionId| !questions.iter().any(|question| question.id == **id);
        let unknown: Vec<_> = self.answers.keys().filter(is_unknown).collect();
        if unknown.is_empty() {
            return Ok(());
        }
        let mut faults = self.answers_to(questions).err().unwrap_or_default();
        unknown.into_iter().for_each(|id| faults.add(answer_path(*id), FaultKind::UNKNOWN));
        Err(faults)
    }

    /// Returns the answers in the order of the questions. Ignores an answer to any other question, which may have been
    /// deleted since the volunteer answered it.
    ///
    /// # Errors
    /// Returns every fault. The path of an answer is `answers[<question id>]`.
    pub(crate) fn answers_to(&self, questions: &[Question]) -> Result<Vec<Answer>, Faults> {
        let mut faults = Faults::new();
        let mut answers = Vec::new();
        for question in questions {
            let value = value(question, self.answers.get(&question.id));
            let value = faults.check(answer_path(question.id), value).flatten();
            answers.extend(value.map(|value| Answer::new(question.id, question.label.clone(), value)));
        }
        faults.into_result(Some(answers))
    }
}

/// An untyped sign-up: the fields of a form as the volunteer filled them in.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SignUpInput<'a> {
    /// The name of the volunteer: 1 to 255 characters.
    pub name: Cow<'a, str>,
    /// The email address: at most 254 characters.
    pub email: Cow<'a, str>,
    /// The answers, by the id of the question. Answers to unknown questions are ignored. A checkbox is ticked by any
    /// text other than a blank one, `0`, `false`, `no` or `off`. It is not ticked if it is omitted.
    pub answers: BTreeMap<Cow<'a, str>, Cow<'a, str>>,
}

impl SignUpInput<'_> {
    /// Checks every field, and every answer to the questions of the event.
    ///
    /// # Errors
    /// Returns every fault. The path of an answer is `answers[<question id>]`.
    pub fn check(&self, questions: &[Question]) -> Result<NewSignup, Faults> {
        let mut faults = Faults::new();
        let name = faults.check("name", PersonName::new(&self.name));
        let email = faults.check("email", EmailAddress::new(&self.email));
        let mut answers = BTreeMap::new();
        for question in questions {
            let text = self.answers.get(question.id.to_string().as_str());
            let answer = text.filter(|text| !is_blank(text)).map_or(Ok(None), |text| read(question, text));
            let answer = answer.and_then(|answer| value(question, answer.as_ref()).map(|_| answer));
            let answer = faults.check(answer_path(question.id), answer).flatten();
            answers.extend(answer.map(|answer| (question.id, answer)));
        }
        faults.into_result(name.zip(email).map(|(name, email)| NewSignup { name, email, answers }))
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

fn answer_path(question: QuestionId) -> FaultPath {
    FaultPath::new().field("answers").question(question)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance::records;
    use crate::text::TextError;

    /// A text, a select of S and M, and a checkbox.
    fn questions(required: bool) -> Vec<Question> {
        let event = records::event(1, 1);
        let kinds = [QuestionKind::Text, QuestionKind::Select, QuestionKind::Checkbox];
        let question = |(kind, number): (QuestionKind, u32)| {
            let options = if kind == QuestionKind::Select { vec![label("S"), label("M")] } else { vec![] };
            Question { kind, options, required, ..records::question(&event, number, number) }
        };
        kinds.into_iter().zip(1..).map(question).collect()
    }

    fn label(text: &str) -> Label {
        text.parse().unwrap()
    }

    fn id(number: u32) -> QuestionId {
        QuestionId::new(records::uuid(number))
    }

    fn ada() -> NewSignup {
        NewSignup::new("Ada".parse().unwrap(), "ada@example.org".parse().unwrap())
    }

    /// Returns the answers of an untyped sign-up with the answers `given`.
    fn read(questions: &[Question], given: &[(u32, &'static str)]) -> Result<Vec<String>, Faults> {
        let answers = given.iter().map(|(number, text)| (id(*number).to_string().into(), (*text).into()));
        let input =
            SignUpInput { name: "Ada".into(), email: "ada@example.org".into(), answers: answers.collect() };
        Ok(values(&input.check(questions)?.answers_to(questions)?))
    }

    fn values(answers: &[Answer]) -> Vec<String> {
        answers.iter().map(|answer| answer.value.to_string()).collect()
    }

    fn faults(faults: impl IntoIterator<Item = (u32, FaultKind)>) -> Faults {
        let mut expected = Faults::new();
        faults.into_iter().for_each(|(number, kind)| expected.add(answer_path(id(number)), kind));
        expected
    }

    fn none_of_the_options() -> FaultKind {
        FaultKind::NotAnOption { options: vec![label("S"), label("M")] }
    }

    #[test]
    fn each_kind_of_question_takes_its_own_kind_of_answer() {
        let required = questions(true);
        let answered =
            || ada().answer(id(1), "no nuts".parse().unwrap()).choose(id(2), label("M")).tick(id(3));
        let answers = answered().answers_to(&required).unwrap();
        assert_eq!(values(&answers), ["no nuts", "M", "yes"]);
        assert_eq!(answers[0].label, required[0].label);
        let later = answered().choose(id(2), label("S")).answers_to(&required).unwrap();
        assert_eq!(later[1].value.as_str(), "S", "a later answer replaces an earlier one");
        let missing = [(1, FaultKind::Required), (2, FaultKind::Required), (3, FaultKind::NotTicked)];
        assert_eq!(ada().answers_to(&required), Err(faults(missing)));
        assert_eq!(ada().answers_to(&questions(false)), Ok(vec![]));
        let unknown = answered().choose(id(2), label("XL")).answers_to(&required);
        assert_eq!(unknown, Err(faults([(2, none_of_the_options())])));
        let mixed = ada().tick(id(1)).answer(id(2), "M".parse().unwrap()).choose(id(3), label("yes"));
        let wrong = [(1, QuestionKind::Text), (2, QuestionKind::Select), (3, QuestionKind::Checkbox)];
        let wrong = wrong.map(|(number, kind)| (number, ValueType::Answer(kind).into()));
        assert_eq!(mixed.answers_to(&required), Err(faults(wrong)));
    }

    #[test]
    fn an_answer_to_an_unknown_question_is_a_fault_of_a_typed_sign_up_only() {
        let optional = questions(false);
        let unknown = faults([(9, FaultKind::UNKNOWN)]);
        assert_eq!(ada().tick(id(9)).check_known(&optional), Err(unknown));
        assert_eq!(ada().tick(id(3)).check_known(&optional), Ok(()));
        assert_eq!(read(&optional, &[(9, "on")]), Ok(vec![]));
    }

    #[test]
    fn an_untyped_answer_is_read_by_the_kind_of_its_question() {
        let required = questions(true);
        let with = |number: u32, text: &'static str| {
            let mut answers = [(1, "no nuts"), (2, "M"), (3, "on")];
            answers[number as usize - 1].1 = text;
            read(&required, &answers)
        };
        let expected = |answers: [&str; 3]| Ok(answers.map(str::to_owned).to_vec());
        assert_eq!(with(1, " none "), expected(["none", "M", "yes"]));
        assert_eq!(with(2, " S "), expected(["no nuts", "S", "yes"]));
        assert_eq!(with(3, "1"), expected(["no nuts", "M", "yes"]));
        for (number, text, fault) in [
            (1, " ", FaultKind::Required),
            (1, "a\0b", TextError::Control { character: '\0' }.into()),
            (2, "", FaultKind::Required),
            (2, "XL", none_of_the_options()),
            (3, "off", FaultKind::NotTicked),
            (3, "no", FaultKind::NotTicked),
            (3, "0", FaultKind::NotTicked),
            (3, "false", FaultKind::NotTicked),
        ] {
            assert_eq!(with(number, text), Err(faults([(number, fault)])), "{number} {text:?}");
        }
        assert_eq!(read(&questions(false), &[(1, ""), (2, " "), (3, "off")]), Ok(vec![]));
    }

    #[test]
    fn the_faults_of_a_sign_up_are_named_together() {
        let refused = SignUpInput { name: " ".into(), ..SignUpInput::default() }.check(&questions(true));
        let paths: Vec<_> = refused.unwrap_err().iter().map(|fault| fault.path.to_string()).collect();
        let answers = [1, 2, 3].map(|number| format!("answers[{}]", id(number)));
        assert_eq!(paths, [&["name".to_owned(), "email".to_owned()], &answers[..]].concat());
    }
}
