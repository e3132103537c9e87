import Combine
import Foundation
import Platform
import Testing

private struct Broken: Error, Equatable {}

/// Requests a limited number of values.
private final class Slow<Input>: Subscriber {
  typealias Failure = Never
  var heard: [Input] = []
  var isFinished: Bool = false
  var subscription: (any Subscription)?

  func receive(subscription: any Subscription) { self.subscription = subscription }
  func receive(_ input: Input) -> Subscribers.Demand {
    heard.append(input)
    return .none
  }
  func receive(completion: Subscribers.Completion<Never>) { isFinished = true }
}

@Suite("Publishers and subscribers")
struct CombineTests {
  /// The values of a publisher that sends them at once, and whether it finished.
  private func values<P: Publisher>(_ publisher: P) -> ([P.Output], Bool) {
    var heard: [P.Output] = []
    var isFinished: Bool = false
    let subscription = publisher.sink(
      receiveCompletion: { if case .finished = $0 { isFinished = true } },
      receiveValue: { heard.append($0) })
    subscription.cancel()
    return (heard, isFinished)
  }

  @Test("A subscriber receives values until it is cancelled")
  func cancel() {
    let subject = PassthroughSubject<Int, Never>()
    var heard: [Int] = []
    let subscription = subject.map { $0 * 2 }.sink { heard.append($0) }
    subject.send(1)
    subject.send(2)
    subscription.cancel()
    subject.send(3)
    #expect(heard == [2, 4])
  }

  @Test("A subject with a value sends it to new subscribers, and after the end only the end")
  func current() {
    let subject = CurrentValueSubject<Int, Never>(7)
    var heard: [Int] = []
    let subscription = subject.sink { heard.append($0) }
    subject.value = 8
    #expect(heard == [7, 8] && subject.value == 8)
    subscription.cancel()
    subject.send(completion: .finished)
    #expect(values(subject).0 == [] && values(subject).1)
  }

  @Test("Subscriptions are stored in sets and arrays")
  func store() {
    let subject = PassthroughSubject<Int, Never>()
    var subscriptions: Set<AnyCancellable> = []
    var sum: Int = 0
    subject.eraseToAnyPublisher().compactMap { $0 > 1 ? $0 : nil }.sink { sum += $0 }
      .store(in: &subscriptions)
    subject.send(1)
    subject.send(5)
    subscriptions.removeAll()
    subject.send(9)
    #expect(sum == 5)
  }

  @Test("Operators change the values of a sequence")
  func operators() {
    let numbers = [1, 2, 2, 3, 4].publisher
    #expect(values(numbers.filter { $0 > 1 }.removeDuplicates()).0 == [2, 3, 4])
    #expect(values(numbers.scan(0, +)).0 == [1, 3, 5, 8, 12])
    #expect(values(numbers.prefix(2)) == ([1, 2], true))
    #expect(values(numbers.dropFirst(3).collect()).0 == [[3, 4]])
    #expect(values(numbers.collect(2)).0 == [[1, 2], [2, 3], [4]])
    #expect(values(numbers.reduce(1, *)).0 == [48])
    #expect(values(numbers.last()).0 == [4])
    #expect(values(numbers.count()).0 == [5])
    #expect(values(numbers.first { $0 > 2 }) == ([3], true))
    #expect(values(numbers.ignoreOutput()).1)
    #expect(values(Empty<Int, Never>().replaceEmpty(with: 5)).0 == [5])
    #expect(values(["a", nil].publisher.replaceNil(with: "b")).0 == ["a", "b"])
    #expect(values(["ab", "c"].publisher.map(\.count)).0 == [2, 1])
    #expect(values(numbers.append(9).prepend(0)).0 == [0, 1, 2, 2, 3, 4, 9])
  }

  @Test("Errors end the values, and can be replaced or caught")
  func errors() {
    let numbers = [1, 2, 3].publisher.tryMap { number -> Int in
      if number == 2 { throw Broken() }
      return number
    }
    #expect(values(numbers) == ([1], false))
    #expect(values(numbers.replaceError(with: 0)) == ([1, 0], true))
    #expect(values(numbers.catch { _ in Just(7) }) == ([1, 7], true))
    var attempts: Int = 0
    let failing = Deferred { () -> Fail<Int, Broken> in
      attempts += 1
      return Fail(error: Broken())
    }
    #expect(values(failing.retry(2)) == ([], false))
    #expect(attempts == 3)
  }

  @Test("Several publishers are merged, combined, zipped and flattened")
  func several() {
    let first = PassthroughSubject<Int, Never>()
    let second = PassthroughSubject<String, Never>()
    var pairs: [String] = []
    var zipped: [String] = []
    var subscriptions: Set<AnyCancellable> = []
    first.combineLatest(second) { "\($0)\($1)" }.sink { pairs.append($0) }.store(in: &subscriptions)
    first.zip(second).sink { zipped.append("\($0.0)\($0.1)") }.store(in: &subscriptions)
    first.send(1)
    first.send(2)
    second.send("a")
    second.send("b")
    #expect(pairs == ["2a", "2b"] && zipped == ["1a", "2b"])
    #expect(values([1, 2].publisher.flatMap { Just($0 * 10) }) == ([10, 20], true))
    #expect(values([1, 2].publisher.merge(with: [3].publisher)) == ([1, 2, 3], true))
    let outer = PassthroughSubject<CurrentValueSubject<Int, Never>, Never>()
    let one = CurrentValueSubject<Int, Never>(1)
    let two = CurrentValueSubject<Int, Never>(2)
    var latest: [Int] = []
    outer.switchToLatest().sink { latest.append($0) }.store(in: &subscriptions)
    outer.send(one)
    outer.send(two)
    one.send(10)
    two.send(20)
    #expect(latest == [1, 2, 20])
  }

  @Test("A subscriber gets no more values than it requested")
  func demand() throws {
    let slow = Slow<Int>()
    (1...10).publisher.filter { $0 % 2 == 0 }.map { $0 * 10 }.subscribe(slow)
    #expect(slow.heard.isEmpty)
    slow.subscription?.request(.max(2))
    #expect(slow.heard == [20, 40] && !slow.isFinished)
    slow.subscription?.request(.unlimited)
    #expect(slow.heard == [20, 40, 60, 80, 100] && slow.isFinished)
  }

  @Test("Values that nobody requested wait where sources are joined")
  func buffered() {
    let slow = Slow<Int>()
    [1, 2].publisher.merge(with: [3].publisher).subscribe(slow)
    slow.subscription?.request(.max(1))
    #expect(slow.heard == [1])
    slow.subscription?.request(.max(5))
    #expect(slow.heard == [1, 2, 3] && slow.isFinished)
  }

  @Test("A future sends its value to subscribers before and after")
  func future() {
    var kept: Future<Int, Broken>.Promise?
    let future = Future<Int, Broken> { kept = $0 }
    var heard: [Int] = []
    let early = future.sink(receiveCompletion: { _ in }, receiveValue: { heard.append($0) })
    kept?(.success(3))
    kept?(.success(4))
    #expect(heard == [3])
    #expect(values(future) == ([3], true))
    early.cancel()
  }

  @Test("A queue receives values in their order, and debounce sends the last one")
  func time() async {
    let queue = DispatchQueue(label: "test")
    var iterator = (1...100).publisher.receive(on: queue).collect().values.makeAsyncIterator()
    #expect(await iterator.next() == Array(1...100))
    let subject = PassthroughSubject<Int, Never>()
    let heard = Locked<[Int]>([])
    let subscription = subject.debounce(for: .milliseconds(30), scheduler: queue)
      .sink { value in heard.withLock { $0.append(value) } }
    subject.send(1)
    subject.send(2)
    try? await Task.sleep(for: .milliseconds(300))
    subject.send(3)
    try? await Task.sleep(for: .milliseconds(300))
    #expect(heard.withLock { $0 } == [2, 3])
    subscription.cancel()
  }

  private final class Counter: ObservableObject {
    @Published var count: Int = 0
    @Published var name: String = "a"
  }

  @Test("A published property sends its values, and its object announces changes")
  func published() {
    let counter = Counter()
    var heard: [Int] = []
    var changes: [Int] = []
    var subscriptions: Set<AnyCancellable> = []
    counter.$count.sink { heard.append($0) }.store(in: &subscriptions)
    counter.objectWillChange.sink { changes.append(counter.count) }.store(in: &subscriptions)
    counter.count = 1
    counter.count += 4
    counter.name = "b"
    #expect(heard == [0, 1, 5] && counter.count == 5 && counter.name == "b")
    #expect(changes == [0, 1, 5])
    let source = PassthroughSubject<Int, Never>()
    source.assign(to: &counter.$count)
    source.send(9)
    #expect(counter.count == 9)
    let assigned = Just(11).assign(to: \.count, on: counter)
    #expect(counter.count == 11)
    assigned.cancel()
  }

  @Test("A shared publisher subscribes once")
  func shared() {
    var subscriptions: Int = 0
    let subject = PassthroughSubject<Int, Never>()
    let shared = subject.handleEvents(receiveSubscription: { _ in subscriptions += 1 }).share()
    var sum: Int = 0
    let first = shared.sink { sum += $0 }
    let second = shared.sink { sum += $0 }
    subject.send(5)
    #expect(subscriptions == 1 && sum == 10)
    first.cancel()
    second.cancel()
  }
}
