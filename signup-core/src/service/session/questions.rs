//! The questions of an event.

use super::{PendingWrite, Session};
use crate::error::{Error, Result};
use crate::event::Event;
use crate::fault::{FaultKind, Faults};
use crate::id::{EventId, QuestionId};
use crate::input::{NewQuestion, QuestionPatch};
use crate::question::Question;
use crate::receipt::OperationKind;
use crate::rules::{self, Decision};
use crate::secret;
use crate::store::{ChangeSet, EventInFull, RecordKey, Refusal};
use crate::token::Scope;

impl Session {
    /// Lists the event's questions by position, equal positions by id.
    ///
    /// Requires [`Scope::EventsRead`].
    ///
    /// # Errors
    /// Returns [`Error::NotFound`] if the organization has no such event.
    ///
    /// See [`add_question`](Self::add_question) for an example.
    pub async fn questions(&self, event: EventId) -> Result<Vec<Question>> {
        self.require(Scope::EventsRead)?;
        Ok(self.event_in_full(event).await?.questions)
    }

    /// Reads a question.
    ///
    /// Requires [`Scope::EventsRead`].
    ///
    /// # Errors
    /// Returns [`Error::NotFound`] if the organization has no such question.
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { session, created, .. }| {
    /// use signup_core::{NewQuestion, QuestionKind};
    ///
    /// let diet = NewQuestion::new("Diet".parse()?, QuestionKind::Text);
    /// let diet = session.add_question(created.event.id, diet).await?;
    /// assert_eq!(session.question(diet.id).await?, diet);
    /// # Ok(()) }) }
    /// ```
    pub async fn question(&self, id: QuestionId) -> Result<Question> {
        self.require(Scope::EventsRead)?;
        Ok(self.question_with_event(id).await?.0)
    }

    /// Adds a question to an event.
    ///
    /// Requires [`Scope::EventsWrite`].
    ///
    /// Without an [idempotency key](PendingWrite::with_key), a retry may add the question a second time.
    ///
    /// # Errors
    /// - [`Error::Invalid`] with every fault, and with one of `label` if the event has [`Question::MAX_PER_EVENT`]
    ///   questions, also if requests race.
    /// - [`Error::NotFound`] if the organization has no such event.
    /// - [`Error::EventCancelled`].
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { session, created, .. }| {
    /// use signup_core::{NewQuestion, QuestionKind};
    ///
    /// let size = NewQuestion::new("Shirt size".parse()?, QuestionKind::Select)
    ///     .option("S".parse()?)
    ///     .option("M".parse()?)
    ///     .required();
    /// let size = session.add_question(created.event.id, size).await?;
    /// assert_eq!(session.questions(created.event.id).await?, [size]);
    /// # Ok(()) }) }
    /// ```
    pub fn add_question(&self, event: EventId, question: NewQuestion) -> PendingWrite<'_, Question> {
        self.write(OperationKind::AddQuestion.on(event), question, move |new, now| async move {
            let full = self.event_in_full(event).await?;
            let id = QuestionId::new(secret::new_uuid(now));
            rules::add_question(&full.event, &full.questions, new, id)
        })
    }

    /// Changes a question. Given answers stay as they are.
    ///
    /// Requires [`Scope::EventsWrite`].
    ///
    /// # Errors
    /// - [`Error::Invalid`] with every fault, and with one of `type` if it would change after a volunteer has answered.
    /// - [`Error::NotFound`] if the organization has no such question.
    /// - [`Error::EventCancelled`].
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { session, created, .. }| {
    /// use signup_core::{NewQuestion, QuestionKind, QuestionPatch};
    ///
    /// let diet = NewQuestion::new("Diet".parse()?, QuestionKind::Text).required();
    /// let diet = session.add_question(created.event.id, diet).await?;
    /// let patch = QuestionPatch::new().label("Allergies".parse()?).required(false);
    /// let allergies = session.patch_question(diet.id, patch).await?;
    /// assert_eq!((allergies.label.as_str(), allergies.required), ("Allergies", false));
    /// # Ok(()) }) }
    /// ```
    pub fn patch_question(&self, id: QuestionId, patch: QuestionPatch) -> PendingWrite<'_, Question> {
        self.write(OperationKind::PatchQuestion.on(id), patch, move |patch, _| async move {
            let (question, event) = self.question_with_event(id).await?;
            let kind = patch.kind;
            match rules::patch_question(&event, question.clone(), patch) {
                Err(Error::Invalid(faults)) if kind.is_some_and(|kind| kind != question.kind) => {
                    Err(self.with_fault_of_type(&event, &question, faults).await?.into())
                }
                decided => decided,
            }
        })
    }

    /// Deletes a question. Given answers stay as they are.
    ///
    /// Requires [`Scope::EventsWrite`].
    ///
    /// # Errors
    /// - [`Error::NotFound`] if the organization has no such question.
    /// - [`Error::EventCancelled`].
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { session, created, .. }| {
    /// use signup_core::{NewQuestion, QuestionKind};
    ///
    /// let diet = NewQuestion::new("Diet".parse()?, QuestionKind::Text).required();
    /// let diet = session.add_question(created.event.id, diet).await?;
    /// session.delete_question(diet.id).await?;
    /// assert!(session.questions(created.event.id).await?.is_empty());
    /// # Ok(()) }) }
    /// ```
    pub fn delete_question(&self, id: QuestionId) -> PendingWrite<'_, ()> {
        self.write(OperationKind::DeleteQuestion.on(id), (), move |(), _| async move {
            let (question, event) = self.question_with_event(id).await?;
            rules::delete_question(&event, &question)
        })
    }

    /// Puts a fault of `type` before the faults of a patch that changes it, if a volunteer has answered the question. So
    /// one answer names every fault.
    async fn with_fault_of_type(&self, event: &Event, question: &Question, faults: Faults) -> Result<Faults> {
        let check = |_| async move {
            let requires = vec![rules::is_unanswered(event, question)];
            Ok(Decision::unrecorded((), ChangeSet { requires, writes: vec![] }))
        };
        let Err(Refusal::NotBelow { .. }) = self.shared.commit(&self.actor, check).await? else {
            return Ok(faults);
        };
        let mut all = Faults::one("type", FaultKind::Answered);
        all.append(faults);
        Ok(all)
    }

    async fn question_with_event(&self, id: QuestionId) -> Result<(Question, Event)> {
        let key = RecordKey::Question(self.organization_id(), id);
        let full = self.shared.store.event_in_full(&key).await?;
        let EventInFull { event, questions, .. } = full.ok_or(Error::NotFound)?;
        let question = questions.into_iter().find(|question| question.id == id).ok_or(Error::NotFound)?;
        Ok((question, event))
    }
}
