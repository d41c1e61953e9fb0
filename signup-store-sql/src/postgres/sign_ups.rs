//! Many sign-ups for one shift as one statement, for PostgreSQL.
//!
//! One by one, each would be a round trip while the shift's row is locked, and write that row anew. Together they lock it,
//! look at it and write it once.
//!
//! The outcome is that of the same sign-ups one after the other: an address that is on the shift already is told so, the
//! others get the places that there are in the order in which they came, and the rest are told that it is full.

use serde_json::json;
use signup_core::{
    ChangeSet, CommitError, Notice, Refusal, Requirement, Signup, SignupStatus, StoreError, Write,
};

use super::turns::Place;
use crate::sql::row::SIGNUP;
use crate::sql::write::{Statement, Writer, hex, rows_value};
use crate::sql::{Dialect, Sql, values};

/// A change set that signs somebody up, if the address is not on the shift yet and the shift has room.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SignUp<'c> {
    signup: &'c Signup,
    notices: &'c [Notice],
}

/// The numbers of its requirements.
const ADDRESS_NOT_ON_SHIFT: usize = 0;
const SHIFT_HAS_ROOM: usize = 1;

impl<'c> SignUp<'c> {
    /// `None` if the change set is of another kind.
    pub(crate) fn of(change: &'c ChangeSet) -> Option<Self> {
        let (signup, notices): (&Signup, &[Notice]) = match change.writes.as_slice() {
            [Write::InsertSignup(signup)] => (signup, &[]),
            [Write::InsertSignup(signup), Write::InsertNotices(notices)] => (signup, notices),
            _ => return None,
        };
        let new = Self { signup, notices };
        let is_new = signup.status == SignupStatus::Confirmed && signup.cancelled_at.is_none();
        let is_of_it = |notice: &Notice| {
            (notice.organization, notice.shift) == new.place() && notice.cause.signup() == Some(signup.id)
        };
        (new.has(&change.requires) && is_new && notices.iter().all(is_of_it)).then_some(new)
    }

    fn has(&self, requires: &[Requirement]) -> bool {
        let [
            Requirement::AddressNotOnShift { organization, shift, email },
            Requirement::ShiftHasRoom { organization: its_organization, shift: roomy },
        ] = requires
        else {
            return false;
        };
        (*organization, *shift) == self.place()
            && (*its_organization, *roomy) == self.place()
            && email.key() == self.address()
    }

    pub(crate) fn place(&self) -> Place {
        (self.signup.organization, self.signup.shift)
    }

    /// By which people are told apart.
    pub(crate) fn address(&self) -> String {
        self.signup.email.key()
    }

    /// What becomes of another of the same address that comes right after it, by what became of this one; `None` if that does
    /// not tell.
    pub(crate) fn next(&self, answer: &Result<(), CommitError>) -> Option<Refusal> {
        match answer {
            Ok(()) => Some(Refusal::AddressOnShift(Box::new(self.signup.clone()))),
            Err(CommitError::Refused(refusal)) => Some(refusal.clone()),
            Err(_) => None,
        }
    }
}

/// The statement for sign-ups for one place, no two of one address. It gives a row for each that is refused: the number of
/// the sign-up, from 1, that of the requirement that does not hold, and the fact that was found in its place.
pub(crate) fn statement((organization, shift): Place, new: &[SignUp<'_>]) -> Result<Sql, StoreError> {
    let rows: Vec<_> = new
        .iter()
        .map(|SignUp { signup, .. }| {
            json!([
                hex(signup.id.uuid()),
                hex(signup.event.uuid()),
                signup.shift_version,
                signup.name,
                signup.email.as_str(),
                signup.email.key(),
                signup.answers,
                signup.created_at.as_second(),
                signup.mailed_at.as_second(),
            ])
        })
        .collect();
    // One behind the other, as JSON has no bytes.
    let secrets: Vec<_> = new.iter().flat_map(|new| new.signup.secret.as_bytes()).copied().collect();
    let dialect = Dialect::Postgres;
    let mut sql = Sql::of(
        dialect,
        "WITH asked AS MATERIALIZED (\
         SELECT number, value, CAST(value->>0 AS uuid) AS id, value->>5 AS email_key \
         FROM jsonb_array_elements($3) WITH ORDINALITY a (value, number)), \
         known AS MATERIALIZED (\
         SELECT * FROM locked_signups_of_addresses($1, $2, ARRAY(SELECT email_key FROM asked))), \
         new AS MATERIALIZED (\
         SELECT *, row_number() OVER (ORDER BY number) <= (SELECT locked_room($1, $2)) AS has_place \
         FROM asked WHERE email_key NOT IN (SELECT email_key FROM known)), \
         signed_up AS (\
         INSERT INTO signups (organization_id, id, event_id, shift_id, shift_version, name, email, email_key, answers, \
         status, secret, created_at, mailed_at) \
         SELECT $1, id, CAST(value->>1 AS uuid), $2, CAST(value->>2 AS integer), value->>3, value->>4, email_key, \
         value->6, 'confirmed', substr($4, CAST(number AS integer) * 32 - 31, 32), \
         CAST(value->>7 AS bigint), CAST(value->>8 AS bigint) \
         FROM new WHERE has_place), \
         taken AS (\
         UPDATE shifts SET filled = filled + (SELECT count(*) FROM new WHERE has_place) \
         WHERE organization_id = $1 AND id = $2 AND EXISTS (SELECT 1 FROM new WHERE has_place)), \
         told AS (",
        values![organization.uuid(), shift.uuid(), rows_value(&rows)?, secrets.as_slice()],
    );
    let writer = Writer { dialect, when: "CAST(value->>4 AS uuid) IN (SELECT id FROM new WHERE has_place)" };
    let notices = new.iter().flat_map(|new| new.notices);
    let Statement { text, values, .. } = writer.insert_notices(notices)?;
    sql.add(&text, values);
    let record = dialect.record(SIGNUP);
    sql.push(&format!(
        ") SELECT CAST(number AS text), '{ADDRESS_NOT_ON_SHIFT}', {record} FROM asked JOIN known u USING (email_key) \
         UNION ALL SELECT CAST(number AS text), '{SHIFT_HAS_ROOM}', '' FROM new WHERE NOT has_place"
    ));
    Ok(sql)
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use signup_core::conformance::records::{
        at, event, notice, organization, receipt_key, shift, signup, uuid, write,
    };
    use signup_core::store::{Wrapped, Wrapper};
    use signup_core::{FixedClock, Service, SignUpInput, SignupId, Store, async_trait};
    use signup_store_memory::MemoryStore;

    use super::*;

    /// Records the last change set.
    #[derive(Debug, Default)]
    struct Recording {
        inner: MemoryStore,
        last: Mutex<ChangeSet>,
    }

    #[async_trait]
    impl Wrapper for Recording {
        fn inner(&self) -> &dyn Store {
            &self.inner
        }

        async fn commit(&self, change: ChangeSet) -> Result<(), CommitError> {
            *self.last.lock().unwrap() = change.clone();
            self.inner.commit(change).await
        }
    }

    /// A sign-up that is not recognized would have a transaction of its own. Another change set that is taken for a
    /// sign-up would be committed wrongly.
    #[tokio::test]
    async fn the_change_set_of_a_sign_up_is_recognized_and_no_other() {
        let event = event(1, 2);
        let (wanted, other) = (shift(&event, 3, 5), shift(&event, 4, 5));
        let store = Arc::new(Wrapped(Recording::default()));
        let writes = vec![
            Write::InsertOrganization(organization(1)),
            Write::InsertEvent { event: Box::new(event.clone()), location_data: None },
            Write::InsertShifts(vec![wanted.clone()]),
        ];
        write(&*store, writes).await;
        let service = Service::new(Arc::clone(&store)).with_clock(FixedClock::at(at(0)));
        let input =
            SignUpInput { name: "Ada".into(), email: "ada@example.org".into(), ..SignUpInput::default() };
        drop(service.public().sign_up(wanted.organization, wanted.id, &input).await.unwrap());
        let decided = store.0.last.lock().unwrap().clone();
        assert_eq!(SignUp::of(&decided).unwrap().place(), (wanted.organization, wanted.id));

        let organization = wanted.organization;
        let is_other = |change: &dyn Fn(&mut ChangeSet)| {
            let mut changed = decided.clone();
            change(&mut changed);
            assert!(SignUp::of(&changed).is_none(), "{changed:?}");
        };
        for more in [
            Requirement::NoReceipt { key: receipt_key(1, "key"), now: at(0) },
            Requirement::ShiftAtVersion { organization, shift: wanted.id, version: 1 },
            Requirement::SignupConfirmed { organization, signup: SignupId::new(uuid(5)) },
        ] {
            is_other(&|change| change.requires.push(more.clone()));
        }
        is_other(&|change| drop(change.requires.pop()));
        is_other(&|change| change.requires.reverse());
        is_other(&|change| drop(change.writes.remove(0)));
        is_other(&|change| change.writes.push(Write::UpdateShift(Box::new(wanted.clone()))));
        // A notice of somebody else's sign-up, and one of another shift.
        is_other(&|change| change.writes[1] = Write::InsertNotices(vec![notice(&wanted, 7)]));
        let Write::InsertNotices(notices) = &decided.writes[1] else { panic!("{decided:?}") };
        let mut elsewhere = notices[0].clone();
        elsewhere.shift = other.id;
        is_other(&|change| change.writes[1] = Write::InsertNotices(vec![elsewhere.clone()]));
        // Another shift than that which has room, another address than that which is not on it, and somebody who is not coming.
        is_other(&|change| change.writes[0] = Write::InsertSignup(Box::new(signup(&other, 5))));
        is_other(&|change| change.writes[0] = Write::InsertSignup(Box::new(signup(&wanted, 5))));
        let Write::InsertSignup(signup) = &decided.writes[0] else { panic!("{decided:?}") };
        let mut cancelled = (**signup).clone();
        (cancelled.status, cancelled.cancelled_at) = (SignupStatus::Cancelled, Some(at(0)));
        is_other(&|change| change.writes[0] = Write::InsertSignup(Box::new(cancelled.clone())));
    }
}
