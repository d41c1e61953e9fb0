//! Tenant isolation: an organization reads and changes only its own records.

use std::sync::Arc;

use super::records::*;
use crate::*;

/// No read that names an organization returns another organization's records.
pub async fn no_read_sees_another_organizations_records(store: Arc<dyn Store>) {
    let (event, shift) = with_shift(&store, 5).await;
    let signup = signup(&shift, 1);
    let writes = vec![
        Write::InsertOrganization(organization(2)),
        Write::InsertQuestions(vec![question(&event, 1, 0)]),
        Write::InsertSignup(Box::new(signup.clone())),
        Write::InsertToken(token(1, 1)),
    ];
    write(&*store, writes).await;
    let other = organization_id(2);
    assert_eq!(store.tokens(other).await.unwrap(), vec![], "no tokens of another organization");
    assert_eq!(store.event(other, event.id).await.unwrap(), None);
    assert_eq!(store.event_in_full(other, event.id).await.unwrap(), None);
    assert_eq!(store.shifts(other, event.id).await.unwrap(), None);
    assert_eq!(store.shift(other, shift.id).await.unwrap(), None);
    assert_eq!(store.shift_with_event(other, shift.id).await.unwrap(), None);
    assert_eq!(store.questions(other, event.id).await.unwrap(), None);
    let question = question(&event, 1, 0);
    assert_eq!(
        store.question(other, question.id).await.unwrap(),
        None,
        "no question of another organization"
    );
    for query in [
        SignupQuery::new(),
        SignupQuery::new().of_event(event.id),
        SignupQuery::new().of_shift(shift.id),
        SignupQuery::new().email(signup.email.clone()),
    ] {
        let page = store.signup_page(other, &query).await.unwrap();
        assert_eq!(page.signups, vec![], "no sign-ups of another organization: {query:?}");
    }
    assert_eq!(store.signup_in_full(other, signup.id).await.unwrap(), None, "no sign-up in full");
    assert_eq!(store.signups(other, event.id, None, 9).await.unwrap(), vec![]);
    assert_eq!(store.signup(other, signup.id).await.unwrap(), None);
    assert_eq!(store.confirmed_signups(other, shift.id, None, 9).await.unwrap(), vec![]);
    assert_eq!(store.signups_of_address(other, &signup.email, 9).await.unwrap(), vec![]);
    let query = EventQuery { is_published: None, position: None, limit: 9 };
    assert_eq!(store.events(other, &query).await.unwrap().events, vec![]);
    let delete = Write::DeleteEvent { organization: event.organization, event: event.id, at: at(6) };
    write(&*store, vec![cancel(&signup, at(5)), delete]).await;
    for scope in [SignupScope::Event(event.id), SignupScope::Shift(shift.id)] {
        let found = store.signups_cancelled_by(other, scope, CancelledBy::Volunteer, None, 9).await.unwrap();
        assert_eq!(found, vec![], "no cancelled sign-ups of another organization");
    }
    assert_eq!(store.deleted_events(other, None, 9).await.unwrap(), vec![], "no deleted events");
    assert_eq!(store.deleted_event(other, event.id).await.unwrap(), None, "no deleted event");
}

/// A requirement that names an organization treats records of others as missing, and no write changes them.
pub async fn no_write_reaches_another_organizations_records(store: Arc<dyn Store>) {
    let (event, shift) = with_shift(&store, 5).await;
    let (signup, notice) = (Signup { answers: vec![answer(1, "S")], ..signup(&shift, 1) }, notice(&shift, 1));
    let deleted = super::records::event(1, 2);
    let question = question(&event, 1, 0);
    let owner = event.organization;
    write(
        &*store,
        vec![
            Write::InsertOrganization(organization(2)),
            Write::InsertSignup(Box::new(signup.clone())),
            Write::InsertNotices(vec![notice.clone()]),
            Write::InsertQuestions(vec![question.clone()]),
            insert_event(&deleted),
            Write::DeleteEvent { organization: owner, event: deleted.id, at: at(3) },
        ],
    )
    .await;
    let before = store.event_in_full(owner, event.id).await.unwrap();
    let organization = organization_id(2);
    let foreign_signup = Signup { organization, ..signup.clone() };
    let refused = [
        (Requirement::ShiftAtVersion { organization, shift: shift.id, version: 1 }, Refusal::ShiftChanged),
        (Requirement::ShiftHasRoom { organization, shift: shift.id }, Refusal::ShiftFull),
        (is_confirmed(&foreign_signup), Refusal::SignupNotConfirmed),
        (has_secret(&foreign_signup, signup.secret), Refusal::SignupChanged),
        (
            Requirement::NoticeAtVersion { organization, notice: notice.id, version: 1 },
            Refusal::NoticeChanged,
        ),
        (Requirement::EventAtVersion { organization, event: event.id, version: 1 }, Refusal::EventChanged),
        (Requirement::EventDeleted { organization, event: deleted.id, version: 1 }, Refusal::EventChanged),
    ];
    for (requirement, refusal) in refused {
        assert_eq!(
            try_write(&*store, vec![requirement.clone()], vec![]).await,
            Err(refusal),
            "{requirement:?}"
        );
    }
    let active = Requirement::ActiveEventsBelow { organization, limit: 1, now: at(0) };
    assert_eq!(try_write(&*store, vec![active], vec![]).await, Ok(()), "only its own events count");
    let free = Requirement::AddressNotOnShift { organization, shift: shift.id, email: signup.email.clone() };
    assert_eq!(try_write(&*store, vec![free], vec![]).await, Ok(()), "only its own sign-ups count");
    let empty = Requirement::ShiftsAreEmpty { organization, event: event.id, shifts: vec![shift.id] };
    assert_eq!(try_write(&*store, vec![empty], vec![]).await, Ok(()), "only its own sign-ups count");
    let unanswered = Requirement::QuestionUnanswered { organization, event: event.id, question: question.id };
    assert_eq!(try_write(&*store, vec![unanswered], vec![]).await, Ok(()), "only its own answers count");

    let title = Title::new("Taken over").unwrap();
    let foreign_event = Event { organization, title: title.clone(), version: 2, ..event.clone() };
    let foreign = Shift { organization, title, version: 2, ..shift.clone() };
    let claimed = Notice { organization, ..notice.clone().claimed(at(3)) };
    let writes = [
        Write::UpdateEvent { event: Box::new(foreign_event.clone()), may_change_activity: true },
        Write::SetLocationData { organization, event: event.id, location_data: Some("{}".parse().unwrap()) },
        Write::DeleteEvent { organization, event: event.id, at: at(3) },
        Write::RestoreEvent(Box::new(foreign_event)),
        Write::RestoreEvent(Box::new(Event { organization, ..deleted.clone() })),
        Write::UpdateQuestion(Question { organization, position: 9, ..question.clone() }),
        Write::DeleteQuestion { organization, event: event.id, question: question.id },
        Write::DeleteShift { organization, shift: shift.id, at: at(3) },
        Write::CloseShift { organization, shift: shift.id, at: at(3), by: CancelledBy::ShiftDeletion },
        Write::UpdateShift(Box::new(foreign)),
        cancel(&foreign_signup, at(3)),
        Write::RenewSecret {
            organization,
            shift: shift.id,
            signup: signup.id,
            secret: Digest::of("x"),
            at: at(3),
        },
        erase(&foreign_signup),
        Write::UpdateNotice(Box::new(claimed)),
        Write::DeleteNotice { organization, notice: notice.id },
    ];
    for foreign in writes {
        write(&*store, vec![foreign.clone()]).await;
        let found = store.event_in_full(owner, event.id).await.unwrap();
        assert_eq!(found, before, "no write reaches another organization's event: {foreign:?}");
    }
    let found = store.deleted_event(owner, deleted.id).await.unwrap();
    assert_eq!(found, Some(DeletedEvent::new(deleted, at(3))), "its deleted event stays deleted");
    let signups = store.signups(shift.organization, event.id, None, 9).await.unwrap();
    assert_eq!(signups, vec![signup]);
    assert_eq!(store.notice(notice.id).await.unwrap(), Some(notice));
}
