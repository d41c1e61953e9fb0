//! The untyped form of a sign-up.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::fault::{FaultKind, FaultPath, Faults};
use crate::question::{Question, QuestionKind};
use crate::signup::Answer;
use crate::text::{AnswerText, EmailAddress, PersonName, is_blank};

/// A sign-up form as it was filled in.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SignUpInput<'a> {
    /// The name of the volunteer: 1 to 255 characters.
    pub name: Cow<'a, str>,
    /// The e-mail address: at most 254 characters.
    pub email: Cow<'a, str>,
    /// The answers, by the id of the question. Answers to unknown questions are ignored. A checkbox is ticked by any text
    /// other than a blank one, `0`, `false`, `no` or `off`. It is not ticked if it is omitted.
    pub answers: BTreeMap<Cow<'a, str>, Cow<'a, str>>,
}

/// A sign-up whose fields are checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewSignup {
    /// The name of the volunteer.
    pub name: PersonName,
    /// The e-mail address.
    pub email: EmailAddress,
    /// The answers, in the order of the questions.
    pub answers: Vec<Answer>,
}

impl SignUpInput<'_> {
    /// Checks every field against the event's questions.
    ///
    /// # Errors
    /// Returns every fault. The path of an answer is `answers` and the question.
    pub fn check(&self, questions: &[Question]) -> Result<NewSignup, Faults> {
        let mut faults = Faults::new();
        let name = faults.check("name", PersonName::new(&self.name));
        let email = faults.check("email", EmailAddress::new(&self.email));
        let mut answers = Vec::new();
        for question in questions {
            let id = question.id.to_string();
            let given = self.answers.get(id.as_str()).map(|text| &**text).filter(|text| !is_blank(text));
            match answer(question, given) {
                Ok(value) => answers.extend(value.map(|value| Answer {
                    question_id: question.id,
                    label: question.label.clone(),
                    value,
                })),
                Err(kind) => faults.add(FaultPath::new().field("answers").question(question.id), kind),
            }
        }
        faults.or(name.zip(email).map(|(name, email)| NewSignup { name, email, answers }))
    }
}

fn answer(question: &Question, given: Option<&str>) -> Result<Option<AnswerText>, FaultKind> {
    const NOT_TICKED: [&str; 4] = ["0", "false", "no", "off"];
    let text = |text: &str| AnswerText::new(text).map_err(FaultKind::from);
    match (question.kind, given) {
        (QuestionKind::Text, Some(words)) => text(words).map(Some),
        (QuestionKind::Select, Some(choice)) => {
            let option = question.options.iter().find(|option| option.as_str() == choice.trim());
            let option =
                option.ok_or_else(|| FaultKind::NotAnOption { options: question.options.clone() })?;
            text(option.as_str()).map(Some)
        }
        (QuestionKind::Checkbox, Some(tick)) if !NOT_TICKED.contains(&tick.trim()) => text("yes").map(Some),
        (QuestionKind::Checkbox, _) if question.required => Err(FaultKind::NotTicked),
        _ if question.required => Err(FaultKind::Required),
        _ => Ok(None),
    }
}
