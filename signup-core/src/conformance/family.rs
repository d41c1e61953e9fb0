//! Records of every kind that belong to one event, for promises about all kinds.

use super::records::*;
use crate::*;

/// An event of an organization, and one or two records of every other kind.
pub(super) struct Family {
    pub(super) organization: Organization,
    pub(super) token: Token,
    /// The event with location data, two shifts and two questions.
    pub(super) full: EventInFull,
    /// A confirmed and a cancelled sign-up for the first shift, and a confirmed one for the second. The first sign-up has an
    /// address with capital letters, and an answer to the first question.
    pub(super) signups: [Signup; 3],
    /// Two links of the address of the first sign-up, and one of that of the second.
    pub(super) links: [Link; 3],
    pub(super) receipt: Receipt,
    /// A webhook of the organization, and a delivery to it.
    pub(super) webhook: Webhook,
    pub(super) delivery: Delivery,
    /// A notice about the first shift, and one about the first sign-up.
    pub(super) notices: [Notice; 2],
}

impl Family {
    /// Returns the event `number` of an organization with all that belongs to it. The ids do not depend on the organization.
    pub(super) fn new(owner: u32, number: u32) -> Self {
        let event = event(owner, number);
        let first = 10 * number;
        let shifts = [first, first + 1].map(|number| Shift {
            occupancy: Occupancy { capacity: Capacity::new(5).unwrap(), filled: 1, waitlisted: 0 },
            ..shift(&event, number, 5)
        });
        let email = EmailAddress::new(&format!("Ada{number}@Example.org")).unwrap();
        let signups = [
            Signup {
                email,
                answers: vec![answer(first, "S")],
                attendance: Some(Attendance::Attended),
                changed_at: Some(at(5)),
                ..signup(&shifts[0], first)
            },
            cancelled(signup(&shifts[0], first + 1), at(4)),
            signup(&shifts[1], first + 2),
        ];
        let links = [(0, first), (0, first + 1), (1, first + 2)];
        let links = links.map(|(of, number)| link(&signups[of], 100 * owner + number));
        let notices = [notice(&shifts[0], first), recipient(&signups[0], first + 1)];
        let questions = vec![question(&event, first, 0), question(&event, first + 1, 1)];
        let receipt = receipt(receipt_key(owner, &format!("key-{number}")), &event, &shifts);
        let webhook = webhook(owner, number);
        let mut full = EventInFull::new(event, shifts.to_vec(), questions);
        full.location_data = Some(r#"{"place_id": "x"}"#.parse().unwrap());
        Self {
            organization: organization(owner),
            token: token(owner, number),
            receipt,
            delivery: delivery(&webhook, number),
            webhook,
            full,
            signups,
            links,
            notices,
        }
    }

    /// Returns all records as they are read, each after its parent.
    pub(super) fn records(&self) -> Vec<Record> {
        let mut records: Vec<Record> = vec![
            self.organization.clone().into(),
            self.token.clone().into(),
            self.webhook.clone().into(),
            self.delivery.clone().into(),
        ];
        records.extend(parts(self.full.clone()));
        records.extend(self.signups.iter().cloned().map(Record::from));
        records.extend(self.links.clone().map(Record::from));
        records.push(self.receipt.clone().into());
        records.extend(self.notices.iter().cloned().map(Record::from));
        records
    }

    /// Returns one record of each kind that has a version, at its next version. Every field has changed that is independent of
    /// other records. The gate has not.
    pub(super) fn edited(&self) -> Vec<Record> {
        let EventInFull { event, shifts, questions, .. } = &self.full;
        let title = Title::new("Winter drive").unwrap();
        let organization = Organization {
            name: Name::new("Hillside Library").unwrap(),
            slug: "hillside".to_owned(),
            sport: None,
            public_url: None,
            contact: None,
            privacy_url: None,
            plan: Plan::Pro,
            version: 2,
            created_at: at(50),
            ..self.organization.clone()
        };
        let token = Token {
            name: Name::new("kiosk").unwrap(),
            digest: Digest::of("another token"),
            scopes: "slots:read".parse().unwrap(),
            version: 2,
            created_at: at(50),
            created_by: Actor::System,
            last_used_at: Some(at(55)),
            expires_at: at(99_000),
            revoked_at: Some(at(60)),
            ..self.token.clone()
        };
        let event = Event {
            title: title.clone(),
            slug: "winter-drive".to_owned(),
            description: Some(Description::new("Bring gloves.").unwrap()),
            instructions: "Ring twice.".parse().ok(),
            location: Some(EventLocation::new("2 Main St").unwrap()),
            latitude: Some(Latitude::new(40.5).unwrap()),
            longitude: Some(Longitude::new(-74.5).unwrap()),
            dates: EventDates { last: Some("2027-06-07".parse().unwrap()), ..event.dates.clone() },
            is_published: false,
            theme: Some(Theme::GoldenHour),
            badge_label: Some(BadgeLabel::new("Families").unwrap()),
            signups_open_at: "2027-03-01T18:00".parse().ok(),
            signups_close_at: "2027-06-04T00:00".parse().ok(),
            cancelled_at: Some(at(70)),
            cancellation_reason: Some(CancellationReason::new("Flood").unwrap()),
            version: 2,
            created_at: at(50),
            updated_at: at(80),
            ..event.clone()
        };
        let shift = Shift {
            title,
            description: Some(ShiftDescription::new("Bring gloves.").unwrap()),
            location: Some(ShiftLocation::new("Hall B").unwrap()),
            hours: Hours::parse(Some("18:00"), None).unwrap(),
            occupancy: Occupancy { capacity: Capacity::new(2).unwrap(), filled: 1, waitlisted: 0 },
            minimum: Some(Minimum::new(2).unwrap()),
            position: 99,
            announced: 7,
            version: 2,
            created_at: at(50),
            updated_at: at(80),
            ..shifts[0].shift.clone()
        };
        let question = Question {
            label: Label::new("Name of your dog").unwrap(),
            kind: QuestionKind::Text,
            options: vec![],
            required: false,
            position: 3,
            version: 2,
            ..questions[0].clone()
        };
        let signup = Signup {
            name: PersonName::new("Grace").unwrap(),
            email: EmailAddress::new("Grace@example.org").unwrap(),
            told: Told { status: None, announced: 3, ..told(&shift) },
            answers: vec![],
            version: 2,
            created_at: at(50),
            repeated_at: Some(at(60)),
            ..self.signups[0].clone()
        };
        let notice = Notice {
            cause: NoticeCause::MessageSent {
                message: MessageId::new(uuid(1)),
                covered_to: Some(Digest::of("a")),
            },
            created_at: at(50),
            version: 2,
            attempts: 3,
            due_at: None,
            failure: Some(NoticeFailure::new(at(70), "550 no such user")),
            ..self.notices[0].clone()
        };
        let webhook = Webhook {
            url: "https://example.org/other".parse().unwrap(),
            description: None,
            types: vec!["event.*".parse().unwrap()],
            secret: Some(signing_secret(98)),
            former_secret: Some(FormerSecret { secret: signing_secret(99), until: at(70) }),
            disabled: Some(Disabled { at: at(60), reason: Some(DisabledReason::Failing) }),
            last_success_at: Some(at(61)),
            failing_since: Some(at(62)),
            version: 2,
            created_at: at(50),
            updated_at: at(80),
            ..self.webhook.clone()
        };
        let delivery = Delivery {
            activity: Activity { actor: Actor::System, ..self.delivery.activity.clone() },
            state: DeliveryState::Pending { due_at: at(70), is_leased: true },
            attempts: 3,
            last_status: Some(503),
            last_error: Some("status 503".to_owned()),
            version: 2,
            created_at: at(50),
            expires_at: at(99_000),
            ..self.delivery.clone()
        };
        vec![
            organization.into(),
            token.into(),
            webhook.into(),
            delivery.into(),
            event.into(),
            shift.into(),
            question.into(),
            signup.into(),
            notice.into(),
        ]
    }
}

/// Inserts the event 1 of the organization 1 with all that belongs to it.
pub(super) async fn with_family(store: &dyn Store) -> Family {
    let family = Family::new(1, 1);
    commit(store, insert(family.records())).await;
    family
}

/// Returns the records that an event in full consists of: a parent comes first.
pub(super) fn parts(full: EventInFull) -> Vec<Record> {
    let EventInFull { event, location_data, shifts, questions } = full;
    let (organization, id) = (event.organization, event.id);
    let data = location_data.map(|data| EventLocationData { organization, event: id, data });
    let mut records: Vec<Record> = vec![event.into()];
    records.extend(data.map(Record::from));
    records.extend(shifts.into_iter().map(|found| found.shift.into()));
    records.extend(questions.into_iter().map(Record::from));
    records
}

/// Reads the records with the keys of `records`, deleted or not. Leaves missing ones out.
pub(super) async fn read_all(store: &dyn Store, records: &[Record]) -> Vec<Record> {
    let mut found = vec![];
    for record in records {
        found.extend(store.record(&record.entity().key(), Deleted::Included).await.unwrap());
    }
    found
}

/// Returns the sign-ups of the organization 1 that a query selects, by ascending id.
pub(super) async fn listed(store: &dyn Store, query: SignupQuery) -> Vec<Signup> {
    store.signups(organization_id(1), &query.limit(99)).await.unwrap().ascending()
}

/// Asserts that each record is found by its key and by its unique values.
pub(super) async fn assert_found(store: &dyn Store, records: &[Record]) {
    for record in records {
        let key = record.entity().key();
        assert_eq!(store.record(&key, Deleted::Excluded).await.unwrap().as_ref(), Some(record));
        for unique in record.entity().uniques() {
            let found = store.holder(&unique, Deleted::Excluded).await.unwrap();
            assert_eq!(found.as_ref(), Some(record), "{unique:?}");
        }
    }
}

/// Returns what each read that names the organization returns of an event and what belongs to it. Reads that also return
/// deleted records are left out.
pub(super) async fn seen(store: &dyn Store, family: &Family) -> Vec<(&'static str, Vec<Record>)> {
    let (owner, event, shift) = (family.organization.id, family.full.event.id, family.full.shifts[0].id);
    let (mut records, mut in_full) = (vec![], vec![]);
    let signups = family.signups.iter().cloned().map(Record::from);
    for record in parts(family.full.clone()).into_iter().chain(signups) {
        let key = record.entity().key();
        records.extend(store.record(&key, Deleted::Excluded).await.unwrap());
        in_full.extend(store.event_in_full(&key).await.unwrap().map(parts).unwrap_or_default());
    }
    let shifts = store.shifts(owner, event).await.unwrap();
    let with_event = store.shift_with_event(owner, shift).await.unwrap();
    let mut seen = vec![
        ("record", records),
        ("event_in_full", in_full),
        ("shifts", shifts.into_iter().flatten().map(|found| found.shift.into()).collect()),
        (
            "shift_with_event",
            with_event.map(|(shift, event)| vec![shift.into(), event.into()]).unwrap_or_default(),
        ),
    ];
    for (what, query) in [("events", EventQuery::new()), ("published events", EventQuery::new().published())]
    {
        let events = store.events(owner, &query).await.unwrap().items;
        seen.push((what, events.into_iter().map(Record::from).collect()));
    }
    for (what, query) in [
        ("sign-ups", SignupQuery::new()),
        ("sign-ups of the event", SignupQuery::new().of_event(event)),
        ("sign-ups for the shift", SignupQuery::new().of_shift(shift)),
        ("sign-ups of the address", SignupQuery::new().email(family.signups[0].email.clone())),
    ] {
        let signups = store.signups(owner, &query).await.unwrap().items;
        seen.push((what, signups.into_iter().map(Record::from).collect()));
    }
    seen
}
