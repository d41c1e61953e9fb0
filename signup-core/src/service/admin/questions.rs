//! Questions of an event.

use super::Admin;
use crate::error::{Error, Result};
use crate::fault::{FaultKind, Faults};
use crate::id::{EventId, QuestionId};
use crate::input::NewQuestion;
use crate::question::{Question, QuestionKind};
use crate::rules::Decision;
use crate::secret;
use crate::store::{ChangeSet, Requirement, Write};

impl Admin {
    /// Adds a question after the event's other questions. Existing sign-ups stay without an answer to the question.
    ///
    /// A retry after an unknown result may add the question a second time.
    ///
    /// # Errors
    /// Returns [`Error::NotFound`] if there is no such event. Returns [`Error::Invalid`] if the event has
    /// [`Question::MAX_PER_EVENT`] questions already, or the options do not fit the kind. A `Select` has 1 to
    /// [`Question::MAX_OPTIONS`] options, and the other kinds have none.
    ///
    /// # Example
    ///
    /// ```
    /// # use signup_core::{Capacity, FixedClock, NewEvent, NewOrganization, NewShift, Scopes, Service, date};
    /// # use signup_store_memory::MemoryStore;
    /// use signup_core::{NewQuestion, QuestionKind};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let clock = FixedClock::at("2027-05-01T12:00:00Z".parse()?);
    /// # let service = Service::new(MemoryStore::new()).with_clock(clock);
    /// # let food_bank = NewOrganization::new("Riverside Food Bank".parse()?);
    /// # let organization = service.admin().create_organization(food_bank).await?;
    /// # let session = service.session_for(organization.id, Scopes::all()).await?;
    /// # let packing = NewShift::new("Packing".parse()?, Capacity::new(8)?);
    /// # let drive = NewEvent::new("Food drive".parse()?, date(2027, 6, 5), "America/New_York".parse()?);
    /// # let created = session.create_event(drive.shift(packing).published()).await?.outcome;
    /// let size = NewQuestion::new("Shirt size".parse()?, QuestionKind::Select).option("S".parse()?).option("M".parse()?);
    /// service.admin().add_question(created.event.id, size).await?;
    /// let questions = service.admin().questions(created.event.id).await?;
    /// assert_eq!(questions[0].label.as_str(), "Shirt size");
    /// # Ok(())
    /// # }
    /// ```
    pub async fn add_question(&self, event: EventId, new: NewQuestion) -> Result<Question> {
        let new = &new;
        let organization = self.shared.store.event_owner(event).await?.ok_or(Error::NotFound)?;
        self.shared
            .commit_unrefused(move |now| async move {
                let present =
                    self.shared.store.questions(organization, event).await?.ok_or(Error::NotFound)?;
                let count = check(new, present.len())?;
                let position = present.last().map_or(0, |last| last.position + 1);
                let question = Question {
                    id: QuestionId::new(secret::new_uuid(now)),
                    organization,
                    event,
                    label: new.label.clone(),
                    kind: new.kind,
                    options: new.options.clone(),
                    required: new.required,
                    position,
                };
                let requires = vec![Requirement::QuestionCount { organization, event, count }];
                let writes = vec![Write::InsertQuestions(vec![question.clone()])];
                Ok(Decision { outcome: question, change: ChangeSet { requires, writes } })
            })
            .await
    }

    /// Lists the event's questions by position.
    ///
    /// # Errors
    /// Returns [`Error::NotFound`] if there is no such event.
    ///
    /// See [`add_question`](Self::add_question) for an example.
    pub async fn questions(&self, event: EventId) -> Result<Vec<Question>> {
        let organization = self.shared.store.event_owner(event).await?.ok_or(Error::NotFound)?;
        self.shared.store.questions(organization, event).await?.ok_or(Error::NotFound)
    }
}

fn check(new: &NewQuestion, present: usize) -> Result<u32, Faults> {
    let mut faults = Faults::new();
    match (new.kind, new.options.len()) {
        (QuestionKind::Select, 1..=Question::MAX_OPTIONS)
        | (QuestionKind::Text | QuestionKind::Checkbox, 0) => {}
        (QuestionKind::Select, _) => {
            faults.add("options", FaultKind::OptionCount { max: Question::MAX_OPTIONS });
        }
        (kind, _) => faults.add("options", FaultKind::OptionsNotAllowed { kind }),
    }
    if present >= Question::MAX_PER_EVENT {
        faults.add("event", FaultKind::TooManyQuestions { max: Question::MAX_PER_EVENT });
    }
    faults.into_result(u32::try_from(present).ok())
}
