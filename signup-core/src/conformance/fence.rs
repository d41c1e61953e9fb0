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
    assert_eq!(store.questions(other, event.id).await.unwrap(), None);
    assert_eq!(store.signups(other, event.id, None, 9).await.unwrap(), vec![]);
    assert_eq!(store.signup(other, signup.id).await.unwrap(), None);
    assert_eq!(store.confirmed_signups(other, shift.id, None, 9).await.unwrap(), vec![]);
    assert_eq!(store.signups_of_address(other, &signup.email, 9).await.unwrap(), vec![]);
    let query = EventQuery { is_published: None, position: None, limit: 9 };
    assert_eq!(store.events(other, &query).await.unwrap().events, vec![]);
}

/// A requirement that names an organization treats records of others as missing, and no write changes them.
pub async fn no_write_reaches_another_organizations_records(store: Arc<dyn Store>) {
    let (event, shift) = with_shift(&store, 5).await;
    let (signup, notice) = (signup(&shift, 1), notice(&shift, 1));
    write(
        &*store,
        vec![
            Write::InsertOrganization(organization(2)),
            Write::InsertSignup(Box::new(signup.clone())),
            Write::InsertNotices(vec![notice.clone()]),
        ],
    )
    .await;
    let organization = organization_id(2);
    let refused = [
        (Requirement::ShiftAtVersion { organization, shift: shift.id, version: 1 }, Refusal::ShiftChanged),
        (Requirement::ShiftHasRoom { organization, shift: shift.id }, Refusal::ShiftFull),
        (Requirement::SignupConfirmed { organization, signup: signup.id }, Refusal::SignupNotConfirmed),
        (
            Requirement::SignupHasSecret { organization, signup: signup.id, secret: signup.secret },
            Refusal::SignupChanged,
        ),
        (
            Requirement::NoticeAtVersion { organization, notice: notice.id, version: 1 },
            Refusal::NoticeChanged,
        ),
        (Requirement::QuestionCount { organization, event: event.id, count: 0 }, Refusal::QuestionsChanged),
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

    let title = Title::new("Taken over").unwrap();
    let foreign = Shift { organization, title, version: 2, ..shift.clone() };
    let cancel = Write::CancelSignup { organization, shift: shift.id, signup: signup.id, at: at(3) };
    let claimed = Notice { organization, ..notice.clone().claimed(at(3)) };
    let writes = [
        Write::UpdateShift(Box::new(foreign)),
        cancel,
        Write::RenewSecret {
            organization,
            shift: shift.id,
            signup: signup.id,
            secret: Digest::of("x"),
            at: at(3),
        },
        Write::EraseSignup { organization, shift: shift.id, signup: signup.id },
        Write::UpdateNotice(Box::new(claimed)),
        Write::DeleteNotice { organization, notice: notice.id },
    ];
    for foreign in writes {
        write(&*store, vec![foreign]).await;
    }
    let found = store.shift(shift.organization, shift.id).await.unwrap().unwrap();
    assert_eq!((found.title, found.version, found.occupancy.filled), (shift.title, 1, 1));
    let signups = store.signups(shift.organization, event.id, None, 9).await.unwrap();
    assert_eq!(signups, vec![signup]);
    assert_eq!(store.notice(notice.id).await.unwrap(), Some(notice));
}
