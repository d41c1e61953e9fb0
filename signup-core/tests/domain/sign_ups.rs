//! Typed sign-ups: answers to each kind of question, and the faults of answers that do not fit.

use signup_core::*;
use signup_store_memory::MemoryStore;

/// A published event with one shift, and one required question of each kind.
struct World {
    service: Service,
    organization: OrganizationId,
    slug: String,
    shift: ShiftId,
    text: QuestionId,
    select: QuestionId,
    checkbox: QuestionId,
}

fn label(text: &str) -> Label {
    text.parse().unwrap()
}

async fn world() -> World {
    world_with(true).await
}

async fn world_with(required: bool) -> World {
    let service =
        Service::new(MemoryStore::new()).with_clock(FixedClock::at("2027-06-05T12:00:00Z".parse().unwrap()));
    let admin = service.admin();
    let new = NewOrganization::new("Riverside".parse().unwrap());
    let organization = admin.create_organization(new).await.unwrap().id;
    let session = service.session_for(organization, Scopes::all()).await.unwrap();
    let packing = NewShift::new("Packing".parse().unwrap(), Capacity::new(9).unwrap());
    let drive = NewEvent::new("Food drive".parse().unwrap(), date(2027, 7, 3), "UTC".parse().unwrap());
    let created = session.create_event(drive.shift(packing).published()).await.unwrap();
    let mut ids = vec![];
    for (text, kind, options) in [
        ("Diet", QuestionKind::Text, vec![]),
        ("Shirt", QuestionKind::Select, vec![label("S"), label("M")]),
        ("Rules", QuestionKind::Checkbox, vec![]),
    ] {
        let mut question = NewQuestion::new(label(text), kind);
        (question.options, question.required) = (options, required);
        ids.push(admin.add_question(created.event.id, question).await.unwrap().id);
    }
    let [text, select, checkbox] = ids.try_into().unwrap();
    let (slug, shift) = (created.event.slug, created.shifts[0].id);
    World { service, organization, slug, shift, text, select, checkbox }
}

fn ada() -> NewSignup {
    NewSignup::new("Ada".parse().unwrap(), EmailAddress::new("ada@example.org").unwrap())
}

impl World {
    fn answered(&self) -> NewSignup {
        let diet = "no nuts".parse().unwrap();
        ada().answer(self.text, diet).choose(self.select, label("M")).tick(self.checkbox)
    }

    async fn form(&self) -> SignUpForm {
        self.service.volunteers().form_of(self.organization, self.shift).await.unwrap()
    }

    async fn sign_up(&self, new: NewSignup) -> Result<SignedUp> {
        self.form().await.sign_up(new).await
    }

    async fn faults(&self, form: NewSignup) -> Vec<(PathStep, FaultKind)> {
        let error = self.sign_up(form).await.unwrap_err();
        let Error::Invalid(faults) = error else { panic!("{error:?}") };
        let answer = |fault: Fault| match fault.path.steps() {
            [PathStep::Field("answers"), question] => (*question, fault.kind),
            steps => panic!("{steps:?}"),
        };
        faults.into_iter().map(answer).collect()
    }
}

#[tokio::test]
async fn a_typed_sign_up_answers_each_kind_of_question() {
    let world = world().await;
    let signup = world.sign_up(world.answered()).await.unwrap().signup;
    let answers: Vec<_> =
        signup.answers.iter().map(|answer| (answer.label.as_str(), answer.value.as_str())).collect();
    assert_eq!(answers, [("Diet", "no nuts"), ("Shirt", "M"), ("Rules", "yes")]);
    assert_eq!((signup.name.as_str(), signup.email.as_str()), ("Ada", "ada@example.org"));
}

#[tokio::test]
async fn a_form_by_slug_is_that_of_the_shift() {
    let world = world_with(false).await;
    assert!(world.sign_up(ada()).await.unwrap().is_new());
    let form = world.service.volunteers().form(&world.slug, world.shift).await.unwrap();
    assert_eq!((form.shift().id, form.questions().len(), &form.event().slug), (world.shift, 3, &world.slug));
    assert!(!form.sign_up(ada()).await.unwrap().is_new());
}

/// The volunteer reads the form, and the organizer deletes one question and changes another meanwhile.
#[tokio::test]
async fn an_older_form_is_checked_against_the_present_questions() {
    let world = world().await;
    let form = world.form().await;
    let session = world.service.session_for(world.organization, Scopes::all()).await.unwrap();
    session.delete_question(world.text).await.unwrap();
    let patch = QuestionPatch::new().options(vec![label("M"), label("XL")]);
    session.patch_question(world.select, patch).await.unwrap();
    let error = form.sign_up(world.answered().choose(world.select, label("S"))).await.unwrap_err();
    let Error::Invalid(faults) = error else { panic!("{error:?}") };
    let fault = Fault::new(
        FaultPath::new().field("answers").question(world.select),
        FaultKind::NotAnOption { options: vec![label("M"), label("XL")] },
    );
    assert_eq!(faults, fault.into());
    let signup = form.sign_up(world.answered()).await.unwrap().signup;
    let values: Vec<_> = signup.answers.iter().map(|answer| answer.value.as_str()).collect();
    assert_eq!(values, ["M", "yes"], "the answer to the deleted question is ignored");
}

/// The volunteer leaves out an answer that is required when the form is read, and the organizer deletes the question.
#[tokio::test]
async fn an_answer_that_is_no_longer_asked_for_may_be_missing() {
    let world = world().await;
    let form = world.form().await;
    let session = world.service.session_for(world.organization, Scopes::all()).await.unwrap();
    session.delete_question(world.text).await.unwrap();
    let new = ada().choose(world.select, label("M")).tick(world.checkbox);
    assert_eq!(form.sign_up(new).await.unwrap().signup.answers.len(), 2);
}

/// The shift has one place. An old form must not reveal which address has it.
#[tokio::test]
async fn an_old_form_answers_an_address_with_a_place_like_every_other() {
    let world = world_with(false).await;
    let old = world.form().await;
    let session = world.service.session_for(world.organization, Scopes::all()).await.unwrap();
    let one = ShiftPatch::new().capacity(Capacity::new(1).unwrap());
    session.patch_shift(world.shift, one).await.unwrap();
    let form = world.form().await;
    form.sign_up(ada()).await.unwrap();
    for form in [old, form] {
        let bob = NewSignup::new("Bob".parse().unwrap(), "bob@example.org".parse().unwrap());
        assert_eq!(form.sign_up(bob).await, Err(Error::ShiftFull));
        assert_eq!(form.sign_up(ada()).await, Err(Error::ShiftFull));
    }
}

#[tokio::test]
async fn every_missing_answer_is_a_fault_of_its_question() {
    let world = world().await;
    let expected = [
        (PathStep::Question(world.text), FaultKind::Required),
        (PathStep::Question(world.select), FaultKind::Required),
        (PathStep::Question(world.checkbox), FaultKind::NotTicked),
    ];
    assert_eq!(world.faults(ada()).await, expected);
}

#[tokio::test]
async fn optional_questions_need_no_answer() {
    let world = world_with(false).await;
    assert_eq!(world.sign_up(ada()).await.unwrap().signup.answers, []);
}

#[tokio::test]
async fn a_choice_that_is_not_an_option_is_refused_with_the_options() {
    let world = world().await;
    let form = world.answered().choose(world.select, label("XL"));
    let options = vec![label("S"), label("M")];
    let expected = (PathStep::Question(world.select), FaultKind::NotAnOption { options });
    assert_eq!(world.faults(form).await, [expected]);
}

#[tokio::test]
async fn an_answer_of_another_kind_than_the_question_is_refused() {
    let world = world().await;
    let form = ada().tick(world.text).answer(world.select, "M".parse().unwrap());
    let form = form.choose(world.checkbox, label("yes"));
    let wrong = |kind| FaultKind::from(ValueType::Answer(kind));
    let expected = [
        (PathStep::Question(world.text), wrong(QuestionKind::Text)),
        (PathStep::Question(world.select), wrong(QuestionKind::Select)),
        (PathStep::Question(world.checkbox), wrong(QuestionKind::Checkbox)),
    ];
    assert_eq!(world.faults(form).await, expected);
}

#[tokio::test]
async fn an_answer_to_an_unknown_question_is_refused_only_in_a_typed_sign_up() {
    let world = world_with(false).await;
    let typed = ada().tick(QuestionId::NONE);
    let expected = (PathStep::Question(QuestionId::NONE), FaultKind::Unknown);
    assert_eq!(world.faults(typed).await, [expected]);
    let answers = [(QuestionId::NONE.to_string().into(), "on".into())].into();
    let untyped = SignUpInput { name: "Ada".into(), email: "ada@example.org".into(), answers };
    assert_eq!(
        world.sign_up(untyped.check(world.form().await.questions()).unwrap()).await.unwrap().signup.answers,
        []
    );
}

#[tokio::test]
async fn a_later_answer_replaces_an_earlier_one() {
    let world = world().await;
    let form = world.answered().choose(world.select, label("S"));
    assert_eq!(world.sign_up(form).await.unwrap().signup.answers[1].value.as_str(), "S");
}

#[tokio::test]
async fn a_shift_of_another_organization_or_event_is_not_found() {
    let (here, elsewhere) = (world().await, world().await);
    let volunteers = here.service.volunteers();
    let other = volunteers.form_of(OrganizationId::NONE, here.shift).await;
    assert!(other.unwrap_err().is_not_found());
    let other = volunteers.form(&here.slug, elsewhere.shift).await;
    assert!(other.unwrap_err().is_not_found());
}
