import Dispatch
import Foundation
import ModelFormat
import Platform
import Testing

@testable import CoreML

/// Tests the contract of `MLState`.
@Suite("MLState")
struct StateTests {
  /// Builds `sum += x; y = sum` for a vector of `count` numbers, in float32.
  fileprivate static func adding(
    _ count: Int = 3, _ type: Spec.ArrayFeatureType.ArrayDataType = .float32
  ) throws -> MLModel {
    let element: String = type == .float16 ? "fp16" : "fp32"
    let text = """
      program(1.3)
      {
          func main<ios18>(state<tensor<\(element), [\(count)]>> sum, tensor<\(element), [\(count)]> x) {
                  tensor<\(element), [\(count)]> old = read_state(input = sum)[name = string("old")];
                  tensor<\(element), [\(count)]> y = add(x = old, y = x)[name = string("y")];
                  write_state(data = y, input = sum)[name = string("write")];
              } -> (y);
      }
      """
    let state = SampleModels.feature(
      "sum",
      .stateType(
        .making { state in
          state.type = .arrayType(
            .making { ($0.shape, $0.dataType) = ([Int64(count)], type) })
        }))
    return try SampleModels.program(
      text, from: SampleModels.array("x", [Int64(count)], type),
      to: SampleModels.array("y", [Int64(count)], type), states: [state]
    ).loaded(MLModelConfiguration())
  }

  fileprivate static func input(_ number: Float) throws -> MLDictionaryFeatureProvider {
    let array = MLMultiArray(MLShapedArray(scalars: [number, 1, -number], shape: [3]))
    return try MLDictionaryFeatureProvider(dictionary: ["x": array])
  }

  fileprivate static func sum(_ output: any MLFeatureProvider) -> Float? {
    output.featureValue(for: "y")?.multiArrayValue?[0].floatValue
  }

  @Test("Two states of one model are independent")
  func apart() throws {
    let model = try Self.adding()
    let (first, second) = (model.makeState(), model.makeState())
    for step in 1...4 {
      let one = try model.prediction(from: Self.input(2), using: first)
      #expect(Self.sum(one) == Float(2 * step))
      let other = try model.prediction(from: Self.input(-5), using: second)
      #expect(Self.sum(other) == Float(-5 * step))
    }
    first.withMultiArray(for: "sum") { sum in
      #expect(sum[2].floatValue == -8)
      sum[0] = 100
    }
    #expect(Self.sum(try model.prediction(from: Self.input(1), using: first)) == 101)
    #expect(Self.sum(try model.prediction(from: Self.input(1), using: second)) == -19)
  }

  @Test("A float16 state takes two bytes for each number, and callers see its memory as float16")
  func float16() throws {
    let model = try Self.adding(3, .float16)
    let state = model.makeState()
    #expect(try state.memory()?.byteCount == 6)
    #expect(try Self.adding(3).makeState().memory()?.byteCount == 12)
    let first: Float? = Self.sum(try model.prediction(from: Self.input(0.1), using: state))
    #expect(first == Float(0.1 as Float16))
    state.withMultiArray(for: "sum") { sum in
      #expect(sum.dataType == .float16)
      #expect(sum[2].floatValue == Float(-0.1 as Float16))
      // The array is the state's memory: what its bytes hold is what the next prediction reads.
      sum.withUnsafeMutableBytes { bytes, _ in
        bytes.storeBytes(of: 100 as Float16, as: Float16.self)
      }
    }
    let sum: Float16 = 100 + 0.1
    #expect(Self.sum(try model.prediction(from: Self.input(0.1), using: state)) == Float(sum))
  }

  @Test("Predictions with one state from two threads run one after the other")
  func serialised() async throws {
    let model = try Self.adding()
    let state = model.makeState()
    let steps = 500
    let seen = try await withThrowingTaskGroup(of: [Float].self) { group in
      for _ in 0..<2 {
        group.addTask {
          try (0..<steps).compactMap { _ in
            Self.sum(try model.prediction(from: Self.input(1), using: state))
          }
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    // Every sum occurs once. So no step was lost, and no prediction saw a step that was half done.
    #expect(seen.sorted() == (1...2 * steps).map(Float.init))
  }

  @Test("Ten thousand predictions with a state leak no memory")
  func leaks() throws {
    // Each step uses 128 KB. So a leak is visible even if other tests run concurrently.
    let count = 32_768
    let model = try Self.adding(count)
    let state = model.makeState()
    let ones = MLMultiArray(MLShapedArray<Float>(repeating: 1, shape: [count]))
    let input = try MLDictionaryFeatureProvider(dictionary: ["x": ones])
    func run(_ count: Int) throws {
      for _ in 0..<count { _ = try model.prediction(from: input, using: state) }
    }
    try run(100)
    let before: Int = try Self.ownBytes()
    try run(10_000)
    let growth: Int = try Self.ownBytes() - before
    #expect(growth < 700 << 20, "\(growth) bytes more")
    #expect(state.withMultiArray(for: "sum") { $0[0].floatValue } == 10_100)
  }

  /// Returns the anonymous memory of the process, in bytes.
  private static func ownBytes() throws -> Int {
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") })
    return try #require(Int(line.split(separator: " ")[1])) << 10
  }

  @Test("A state of another model is refused")
  func foreign() throws {
    let model = try Self.adding()
    let state = try SampleModels.doubling().loaded().makeState()
    #expect(throws: (any Error).self) {
      try model.prediction(from: Self.input(1), using: state)
    }
  }
}

/// Tests predictions that wait for a state that another prediction uses. Also tests the errors of a state that could
/// not be created.
@Suite("Waiting for an MLState")
struct StateWaitingTests {
  /// Keeps a state in use on a separate thread until `letGo()` is called.
  private struct Holder {
    private let letsGo = DispatchSemaphore(value: 0)

    init(_ state: MLState) async {
      let holds = Locked(false)
      let letsGo: DispatchSemaphore = letsGo
      let thread = Thread {
        state.withMultiArray(for: "sum") { _ in
          holds.withLock { $0 = true }
          letsGo.wait()
        }
      }
      thread.start()
      while !holds.withLock({ $0 }) { await Task.yield() }
    }

    func letGo() { letsGo.signal() }
  }

  @Test(
    "Predictions that wait for their state do not block the queue's threads",
    .timeLimit(.minutes(20)))
  func workers() async throws {
    let model = try StateTests.adding()
    let (state, other) = (model.makeState(), model.makeState())
    let lock = try #require(try state.memory()).lock
    let holder = await Holder(state)
    let count: Int = 4 * ProcessInfo.processInfo.activeProcessorCount
    let sums = try await withThrowingTaskGroup(of: Float?.self) { group in
      for _ in 0..<count {
        group.addTask {
          StateTests.sum(try await model.prediction(from: StateTests.input(1), using: state))
        }
      }
      while lock.waitingCount < count { await Task.yield() }
      let free = try await model.prediction(from: StateTests.input(5), using: other)
      #expect(StateTests.sum(free) == 5)
      holder.letGo()
      return try await group.reduce(into: []) { $0.append($1 ?? .nan) }
    }
    #expect(sums.sorted() == (1...count).map(Float.init))
  }

  @Test(
    "A prediction that waits for its state ends when its task is cancelled",
    .timeLimit(.minutes(20))
  )
  func cancelled() async throws {
    let model = try StateTests.adding()
    let state = model.makeState()
    let lock = try #require(try state.memory()).lock
    let holder = await Holder(state)
    let task = Task {
      StateTests.sum(try await model.prediction(from: StateTests.input(1), using: state))
    }
    while lock.waitingCount == 0 { await Task.yield() }
    task.cancel()
    let error = try await #require(throws: MLModelError.self) { try await task.value }
    #expect(error.code == .predictionCancelled)
    holder.letGo()
    #expect(
      StateTests.sum(try await model.prediction(from: StateTests.input(1), using: state)) == 1)
  }

  @Test(
    "One thread may access a state recursively, and predict with it meanwhile",
    .timeLimit(.minutes(20)))
  func reentrant() throws {
    let model = try StateTests.adding()
    let state = model.makeState()
    let sum: Float? = try state.withMultiArray(for: "sum") { array in
      array[0] = 10
      let again: Float = state.withMultiArray(for: "sum") { $0[0].floatValue }
      #expect(again == 10)
      return StateTests.sum(try model.prediction(from: StateTests.input(1), using: state))
    }
    #expect(sum == 11)
  }

  @Test("A nested prediction with the same state throws an error that says so")
  func within() throws {
    let state = try StateTests.adding().makeState()
    let memory = try #require(try state.memory())
    let found: String? = sentence { try memory.predicting { try memory.predicting {} } }
    #expect(found?.contains("The state is in use by the prediction") == true)
    try memory.predicting {}
  }

  @Test("Predictions with a state of a model that cannot be loaded give the reason")
  func loadError() throws {
    let model = MLModel(
      LoadedModel(updated: SampleModels.custom(["NoSuchLambda"]), configuration: .init()),
      configuration: .init())
    let state = model.makeState()
    let expected =
      "Error creating Core ML custom layer implementation from factory for layer \"NoSuchLambda\"."
    #expect(
      sentence { _ = try model.prediction(from: StateTests.input(1), using: state) } == expected)
    #expect(sentence { try state.check() } == expected)
  }
}

@Suite("Outputs of programs")
struct ProgramOutputTests {
  @Test("A scalar output is an array with one element, because Core ML has no arrays without axes")
  func number() throws {
    let text = """
      program(1.3)
      {
          func main<ios18>(tensor<fp32, [2, 2]> x) {
                  tensor<int32, [2]> axes = const()[name = string("axes"), val = tensor<int32, [2]>([0, 1])];
                  bool keep = const()[name = string("keep"), val = bool(false)];
                  tensor<fp32, []> y = reduce_sum(axes = axes, keep_dims = keep, x = x)[name = string("y")];
              } -> (y);
      }
      """
    let model: MLModel = try SampleModels.program(
      text, from: SampleModels.array("x", [2, 2]), to: SampleModels.array("y", [])
    ).loaded()
    let x = MLMultiArray(MLShapedArray<Float>(scalars: [1, 2, 3, 4], shape: [2, 2]))
    let input = try MLDictionaryFeatureProvider(dictionary: ["x": x])
    let y = try #require(try model.prediction(from: input).featureValue(for: "y")?.multiArrayValue)
    #expect(y.shape == [1])
    #expect(y[0].floatValue == 10)
  }
}
