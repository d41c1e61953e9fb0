//! What a volunteer fills in.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::fault::Faults;
use crate::question::{Question, QuestionKind};
use crate::signup::Answer;
use crate::text::{AnswerText, EmailAddress, PersonName, TextError, is_blank};

/// A sign-up as it was filled in.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SignUpInput<'a> {
    /// What the volunteer is called: 1 to 255 characters.
    pub name: Cow<'a, str>,
    /// Where the volunteer is reached: at most 254 characters.
    pub email: Cow<'a, str>,
    /// The answers by the question's id. What answers no question of the event is ignored. A ticked checkbox has any text
    /// but a blank one, `0`, `false`, `no` or `off`; one that is not ticked may be left out.
    pub answers: BTreeMap<Cow<'a, str>, Cow<'a, str>>,
}

/// A sign-up that is right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewSignup {
    /// What the volunteer is called.
    pub name: PersonName,
    /// Where the volunteer is reached.
    pub email: EmailAddress,
    /// What the volunteer answered, in the order of the questions.
    pub answers: Vec<Answer>,
}

impl SignUpInput<'_> {
    /// Checks every field against the event's questions.
    ///
    /// # Errors
    /// All that is wrong; an answer's field is `answer.` and the question's id.
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
                Err(predicate) => faults.add(format!("answer.{id}"), predicate),
            }
        }
        faults.or(name.zip(email).map(|(name, email)| NewSignup { name, email, answers }))
    }
}

fn answer(question: &Question, given: Option<&str>) -> Result<Option<AnswerText>, String> {
    const NOT_TICKED: [&str; 4] = ["0", "false", "no", "off"];
    let text = |text: &str| AnswerText::new(text).map_err(|error: TextError| error.to_string());
    match (question.kind, given) {
        (QuestionKind::Text, Some(words)) => text(words).map(Some),
        (QuestionKind::Select, Some(choice)) => {
            let option = question.options.iter().find(|option| option.as_str() == choice.trim());
            let option = option.ok_or_else(|| "must be one of the options".to_owned())?;
            text(option.as_str()).map(Some)
        }
        (QuestionKind::Checkbox, Some(tick)) if !NOT_TICKED.contains(&tick.trim()) => text("yes").map(Some),
        (QuestionKind::Checkbox, _) if question.required => Err("has to be ticked".to_owned()),
        _ if question.required => Err("is required".to_owned()),
        _ => Ok(None),
    }
}
