//! Questions of an event.

use super::Admin;
use crate::activity::Actor;
#[cfg(doc)]
use crate::error::Error;
use crate::error::Result;
use crate::id::{EventId, QuestionId};
use crate::input::NewQuestion;
use crate::question::Question;
use crate::rules;
use crate::secret;
use crate::store::EventInFull;

impl Admin {
    /// Adds a question, by default after the event's other questions. Existing sign-ups stay without an answer to the
    /// question.
    ///
    /// A retry after an unknown result may add the question a second time.
    ///
    /// # Errors
    /// - [`Error::NotFound`] if there is no such event, or if it is deleted.
    /// - [`Error::EventCancelled`].
    /// - [`Error::Invalid`] if the event has [`Question::MAX_PER_EVENT`] questions already, if an option is given twice, if
    ///   the position is above [`Question::MAX_POSITION`], or if the options do not fit the kind. A `Select` has 1 to
    ///   [`Question::MAX_OPTIONS`] options, and the other kinds have none.
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { service, created, .. }| {
    /// use signup_core::{NewQuestion, QuestionKind};
    ///
    /// let size = NewQuestion::new("Shirt size".parse()?, QuestionKind::Select).option("S".parse()?).option("M".parse()?);
    /// service.admin().add_question(created.event.id, size).await?;
    /// let questions = service.admin().questions(created.event.id).await?;
    /// assert_eq!(questions[0].label.as_str(), "Shirt size");
    /// # Ok(()) }) }
    /// ```
    pub async fn add_question(&self, event: EventId, new: NewQuestion) -> Result<Question> {
        let new = &new;
        let organization = self.event_owner(event).await?;
        let _turn = self.shared.turns.of_event(organization, event).await?;
        self.shared
            .commit_unrefused(&Actor::Operator, move |now| async move {
                let EventInFull { event, questions, .. } = self.event(event).await?;
                let id = QuestionId::new(secret::new_uuid(now));
                rules::add_question(&event, &questions, new.clone(), id)
            })
            .await
    }

    /// Lists the event's questions by position, equal positions by id.
    ///
    /// # Errors
    /// Returns [`Error::NotFound`] if there is no such event, or if it is deleted.
    ///
    /// See [`add_question`](Self::add_question) for an example.
    pub async fn questions(&self, event: EventId) -> Result<Vec<Question>> {
        Ok(self.event(event).await?.questions)
    }
}
