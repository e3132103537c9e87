import Dispatch
import Foundation
import Glibc
import ModelFormat
import Platform
import Testing

@testable import CoreML
@testable import Engine

/// Adds 1 to its input, and keeps references to all arrays that it receives.
final class RetainsArrays: NSObject, MLCustomLayer {
  static let retained = Locked<[MLMultiArray]>([])

  required init(parameters: [String: Any]) throws {}
  func setWeightData(_ weights: [Data]) throws {}
  func outputShapes(forInputShapes inputShapes: [[NSNumber]]) throws -> [[NSNumber]] { inputShapes }

  func evaluate(inputs: [MLMultiArray], outputs: [MLMultiArray]) throws {
    for index in 0..<inputs[0].count {
      outputs[0][index] = NSNumber(value: inputs[0][index].floatValue + 1)
    }
    Self.retained.withLock { $0 += inputs + outputs }
  }
}

/// Adds 1 to its input.
final class PlusOne: NSObject, MLCustomLayer {
  required init(parameters: [String: Any]) throws {}
  func setWeightData(_ weights: [Data]) throws {}
  func outputShapes(forInputShapes inputShapes: [[NSNumber]]) throws -> [[NSNumber]] { inputShapes }

  func evaluate(inputs: [MLMultiArray], outputs: [MLMultiArray]) throws {
    for index in 0..<inputs[0].count {
      outputs[0][index] = NSNumber(value: inputs[0][index].floatValue + 1)
    }
  }
}

/// Computes `f(x) = x < 1 ? 0 : f(x - 1) + 1` by predicting with the model that contains this layer.
class CountsByItsModel: NSObject, MLCustomLayer {
  /// `@unchecked Sendable`: models predict on any thread.
  struct Model: @unchecked Sendable { let model: MLModel }

  static let model = Locked<Model?>(nil)
  private let isBusy = Locked(Set<pthread_t>())
  static let wasShared = Locked(false)

  required init(parameters: [String: Any]) throws {}
  func setWeightData(_ weights: [Data]) throws {}
  func outputShapes(forInputShapes inputShapes: [[NSNumber]]) throws -> [[NSNumber]] { inputShapes }

  func predict(_ x: Float) throws -> Float {
    let array = MLMultiArray(MLShapedArray<Float>(repeating: x, shape: [1]))
    let input = try MLDictionaryFeatureProvider(dictionary: ["x": array])
    let model = try #require(Self.model.withLock { $0 }).model
    return try model.prediction(from: input).featureValue(for: "y")?.multiArrayValue?[0].floatValue
      ?? .nan
  }

  func evaluate(inputs: [MLMultiArray], outputs: [MLMultiArray]) throws {
    let thread: pthread_t = pthread_self()
    let isFirst: Bool = isBusy.withLock { threads in
      if !threads.isSubset(of: [thread]) { Self.wasShared.withLock { $0 = true } }
      return threads.insert(thread).inserted
    }
    defer { if isFirst { _ = isBusy.withLock { $0.remove(thread) } } }
    let x: Float = inputs[0][0].floatValue
    outputs[0][0] = NSNumber(value: x < 1 ? 0 : try predict(x - 1) + 1)
  }
}

/// Computes the same function as `CountsByItsModel`, but makes each prediction on a separate thread.
final class CountsOnThreads: CountsByItsModel {
  override func predict(_ x: Float) throws -> Float {
    let answer = Locked<Float?>(nil)
    let isDone = DispatchSemaphore(value: 0)
    // The caller waits for the thread, so the transfer is safe.
    let work = SendableBox({ try super.predict(x) })
    let thread = Thread {
      let made: Float? = try? work.value()
      answer.withLock { $0 = made }
      isDone.signal()
    }
    thread.start()
    isDone.wait()
    return try #require(answer.withLock { $0 })
  }
}

/// A layer that outputs one number: the number of elements of the first input in the last call of
/// `outputShapes(forInputShapes:)`.
final class RemembersShapes: NSObject, MLCustomLayer {
  private var count = 0

  required init(parameters: [String: Any]) throws {}
  func setWeightData(_ weights: [Data]) throws {}

  func outputShapes(forInputShapes inputShapes: [[NSNumber]]) throws -> [[NSNumber]] {
    count = inputShapes[0].reduce(1) { $0 * $1.intValue }
    return [[1]]
  }

  func evaluate(inputs: [MLMultiArray], outputs: [MLMultiArray]) throws {
    outputs[0][0] = NSNumber(value: count)
  }
}

@Suite("Memory and instances of custom layers")
struct CustomLayerMemoryTests {
  private static func layer(
    _ name: String, _ kind: Spec.NeuralNetworkLayer.OneOfLayer, _ input: [String],
    _ output: [String]
  ) -> Spec.NeuralNetworkLayer {
    .making { ($0.name, $0.layer, $0.input, $0.output) = (name, kind, input, output) }
  }

  private static func custom(_ className: String, from input: String, to output: String)
    -> Spec.NeuralNetworkLayer
  {
    layer(className, .custom(.making { $0.className = className }), [input], [output])
  }

  private static func copy(_ input: String, to output: String) -> Spec.NeuralNetworkLayer {
    layer("copy to \(output)", .copy(Spec.CopyLayerParams()), [input], [output])
  }

  private static func model(_ layers: [Spec.NeuralNetworkLayer], count: Int64) throws -> MLModel {
    var model: Spec.Model = SampleModels.network(layers)
    model.specificationVersion = 4
    if case .neuralNetwork(var network)? = model.type {
      network.arrayInputShapeMapping = .exactArrayMapping
      model.type = .neuralNetwork(network)
    }
    model.description?.input = [SampleModels.array("x", [count])]
    model.description?.output = [SampleModels.array("y", [count])]
    return try model.loaded()
  }

  /// Builds `y = x`, then three iterations of a body that changes `y`.
  private static func loop(_ body: [Spec.NeuralNetworkLayer], count: Int64) throws -> MLModel {
    let loop = Spec.LoopLayerParams.making {
      $0.maxLoopIterations = 3
      $0.bodyNetwork = .making { $0.layers = body }
    }
    return try model([copy("x", to: "y"), layer("loop", .loop(loop), [], [])], count: count)
  }

  private static func predict(_ model: MLModel, _ x: [Float]) throws -> [Float] {
    let array = MLMultiArray(MLShapedArray(scalars: x, shape: [x.count]))
    let input = try MLDictionaryFeatureProvider(dictionary: ["x": array])
    let y = try #require(try model.prediction(from: input).featureValue(for: "y")?.multiArrayValue)
    return (0..<y.count).map { y[$0].floatValue }
  }

  @Test("A custom layer in a loop reads the previous iteration's result, in every run")
  func loop() throws {
    let model = try Self.loop(
      [Self.custom("PlusOne", from: "y", to: "next"), Self.copy("next", to: "y")], count: 4)
    for start: Float in [0, 10, 20] {
      #expect(try Self.predict(model, [start, 1, 2, 3]) == [start + 3, 4, 5, 6])
    }
  }

  @Test("A custom layer in a branch reads the results of the current run")
  func branch() throws {
    let sides = Spec.BranchLayerParams.making {
      $0.ifBranch = .making {
        $0.layers = [
          Self.custom("PlusOne", from: "x", to: "t"), Self.copy("t", to: "y"),
        ]
      }
      $0.elseBranch = .making { $0.layers = [Self.copy("x", to: "y")] }
    }
    let isPositive = Spec.GreaterThanLayerParams.making { $0.alpha = 0 }
    let model = try Self.model(
      [
        Self.layer("test", .greaterThan(isPositive), ["x"], ["c"]),
        Self.layer("branch", .branch(sides), ["c"], []),
      ], count: 1)
    for x: Float in [1, 5, -2, 7, -3, 2] {
      #expect(try Self.predict(model, [x]) == [x > 0 ? x + 1 : x])
    }
  }

  @Test("Arrays that a class retains keep their values during later predictions")
  func retained() throws {
    let model = try Self.loop(
      [Self.custom("RetainsArrays", from: "y", to: "next"), Self.copy("next", to: "y")], count: 2)
    RetainsArrays.retained.withLock { $0 = [] }
    for start: Float in [0, 100, 200] { _ = try Self.predict(model, [start, 1]) }
    let seen: [Float] = RetainsArrays.retained.withLock { $0.map { $0[0].floatValue } }
    #expect(
      seen == [0, 100, 200].flatMap { start in [0, 1, 1, 2, 2, 3].map { start + Float($0) } })
    // The arrays belong to the class, so the class may change them.
    RetainsArrays.retained.withLock { $0[0][0] = 7 }
    #expect(try Self.predict(model, [1, 1]) == [4, 4])
    RetainsArrays.retained.withLock { $0 = [] }
  }

  @Test(
    "A class that predicts with its own model, on its own thread or on others, does not deadlock",
    .timeLimit(.minutes(20)), arguments: ["CountsByItsModel", "CountsOnThreads"])
  func ownModel(className: String) throws {
    // Registers the class. Without registration, a look-up by name finds only the class that declares the conformance.
    // It does not find a class that inherits the conformance.
    MLCustomLayerRegistry.register(CountsOnThreads.self, for: "CountsOnThreads")
    let model = try Self.model([Self.custom(className, from: "x", to: "y")], count: 1)
    CountsByItsModel.model.withLock { $0 = .init(model: model) }
    #expect(try Self.predict(model, [3.5]) == [3])
    // Calls the model concurrently, so that each prediction holds resources for which the other predictions may wait.
    let answers = Locked<[Float]>([])
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      let answer: Float = (try? Self.predict(model, [5]))?.first ?? .nan
      answers.withLock { $0.append(answer) }
    }
    #expect(answers.withLock { $0 } == [Float](repeating: 5, count: 8))
    #expect(CountsByItsModel.wasShared.withLock { !$0 })
  }

  @Test("Sequential calls share one instance; concurrent calls get separate instances")
  func objects() throws {
    let count = Locked(0)
    let pool = try UserObjectPool<Int> {
      count.withLock { (made: inout Int) -> Int in
        made += 1
        return made
      }
    }
    for _ in 0..<3 { #expect(try pool.use { $0 } == 1) }
    let inner: [Int] = try pool.use { first in [first, try pool.use { $0 }] }
    #expect(inner == [1, 1])
    let other: Int = try pool.use { _ in
      let seen = Locked(0)
      let isDone = DispatchSemaphore(value: 0)
      let thread = Thread {
        let object: Int = (try? pool.use { $0 }) ?? 0
        seen.withLock { $0 = object }
        isDone.signal()
      }
      thread.start()
      isDone.wait()
      return seen.withLock { $0 }
    }
    #expect(other == 2)
    #expect(try pool.use { $0 } == 1)
    #expect(count.withLock { $0 } == 2)
  }

  @Test("An instance is asked for output shapes before it receives tensors of new shapes")
  func shapes() throws {
    let layer = try MLCustomLayerRegistry.engineFactory(
      CustomLayerRequest(
        layerName: "layer", className: "RemembersShapes", parameters: [:], weights: { [] }))
    for shape: Shape in [[4], [2, 3]] { _ = try layer.outputShapes(for: [shape]) }
    let buffer = try AlignedBuffer(byteCount: 64)
    for shape: Shape in [[4], [2, 3], [2, 3], [4]] {
      // Safe: the buffer holds 16 floats. Neither tensor has more elements.
      let tensor = CustomLayerTensor(shape: shape, data: buffer.floats)
      try layer.evaluate(
        inputs: [tensor], outputs: [CustomLayerTensor(shape: [1], data: buffer.floats)])
      #expect(buffer.floats[0] == Float(shape.count))
    }
  }

  @Test("A prediction inside a prediction on the same thread does not wait for the outer session")
  func ownSession() throws {
    let model = try Self.model([Self.custom("PlusOne", from: "x", to: "y")], count: 2)
    let network = try #require(try model.network(pictures: nil)).0
    let types = [TensorType([2])]
    let pool = SessionPool(
      try network.plan(for: types).plan, inputTypes: types, hasMemory: { _ in false })
    let outer = try pool.take()
    let inner = try pool.take()
    #expect(outer !== inner)
    pool.give(back: inner)
    pool.give(back: outer)
  }
}
