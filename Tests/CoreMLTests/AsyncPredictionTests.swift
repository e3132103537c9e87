import Foundation
import ModelFormat
import Platform
import Testing

@testable import CoreML

@Suite("Asynchronous and time-limited predictions")
struct AsyncPredictionTests {
  private static func layer(
    _ kind: Spec.NeuralNetworkLayer.OneOfLayer, _ inputs: [String], _ outputs: [String]
  ) -> Spec.NeuralNetworkLayer {
    var layer = Spec.NeuralNetworkLayer()
    (layer.layer, layer.name, layer.input, layer.output) = (kind, "layer", inputs, outputs)
    return layer
  }

  /// Builds `y = x`, then `y = y + 1` for ten million iterations.
  private static func endless() throws -> MLModel {
    var body = Spec.NeuralNetwork()
    body.layers = [
      SampleModels.linear(alpha: 1, beta: 1, from: "y", to: "next"),
      layer(.copy(Spec.CopyLayerParams()), ["next"], ["y"]),
    ]
    var loop = Spec.LoopLayerParams()
    loop.maxLoopIterations = 10_000_000
    loop.bodyNetwork = body
    var model: Spec.Model = SampleModels.network([
      layer(.copy(Spec.CopyLayerParams()), ["x"], ["y"]), layer(.loop(loop), [], []),
    ])
    model.specificationVersion = 4
    if case .neuralNetwork(var network)? = model.type {
      network.arrayInputShapeMapping = .exactArrayMapping
      model.type = .neuralNetwork(network)
    }
    model.description?.input = [SampleModels.array("x", [2])]
    model.description?.output = [SampleModels.array("y", [2])]
    return try model.loaded()
  }

  private static func input(_ values: [Double]) throws -> MLDictionaryFeatureProvider {
    try MLDictionaryFeatureProvider(dictionary: ["x": try MLMultiArray(values)])
  }

  @Test("A prediction that exceeds its time limit ends with a message")
  func timeLimit() throws {
    let model = try Self.endless()
    let options = MLPredictionOptions()
    options.timeLimit = 0.05
    let start = Date()
    #expect(
      sentence { _ = try model.prediction(from: Self.input([1, 2]), options: options) }
        == "The prediction took longer than its time limit of 0.05 seconds; set a higher limit to let it finish."
    )
    #expect(Date().timeIntervalSince(start) < 5)
  }

  @Test("A time limit that is not reached has no effect")
  func generousLimit() throws {
    let options = MLPredictionOptions()
    options.timeLimit = 60
    let model = try SampleModels.doubling(shape: [2]).loaded()
    let answer = try model.prediction(from: Self.input([1, 2]), options: options)
    #expect(answer.featureValue(for: "y")?.multiArrayValue?[1].doubleValue == 5)
  }

  @Test("Cancelling the task ends a prediction inside a loop", .timeLimit(.minutes(20)))
  func cancelsRunning() async throws {
    let model = try Self.endless()
    let task = Task { () async throws -> Bool in
      _ = try await model.prediction(from: Self.input([1, 2]))
      return true
    }
    try await Task.sleep(for: .milliseconds(50))
    task.cancel()
    let error = try await #require(throws: MLModelError.self) { try await task.value }
    #expect(error.code == .predictionCancelled)
  }

  @Test(
    "With a third of many predictions cancelled, each returns a result or a cancellation error",
    .timeLimit(.minutes(20)))
  func manyAtOnce() async throws {
    let model = try SampleModels.doubling(shape: [2]).loaded()
    let (answered, cancelled) = try await withThrowingTaskGroup(of: Bool.self) { group in
      for index in 0..<2_000 {
        group.addTask {
          let task = Task { () async throws -> Double in
            let answer = try await model.prediction(from: Self.input([Double(index), 0]))
            return answer.featureValue(for: "y")?.multiArrayValue?[0].doubleValue ?? .nan
          }
          if index % 3 == 0 { task.cancel() }
          do {
            let value = try await task.value
            #expect(value == Double(2 * index + 1))
            return true
          } catch MLModelError.predictionCancelled {
            #expect(index % 3 == 0)
            return false
          }
        }
      }
      var counts = (0, 0)
      for try await hasAnswer in group {
        if hasAnswer { counts.0 += 1 } else { counts.1 += 1 }
      }
      return counts
    }
    #expect(answered >= 1_333)
    #expect(answered + cancelled == 2_000)
    let cores = ProcessInfo.processInfo.activeProcessorCount
    #expect(PredictionQueue.shared.workerCount <= 2 * cores)
  }

  @Test("A queued prediction is dropped when its task is cancelled", .timeLimit(.minutes(20)))
  func dropsWaiting() async throws {
    let queue = PredictionQueue(capacity: 2)
    let gate = DispatchSemaphore(value: 0)
    let long = Task {
      try await queue.result(threads: 2) { _ in
        gate.wait()
        return SendableBox(1)
      }
    }
    while queue.workerCount == 0 { await Task.yield() }
    let waiting = Task { try await queue.result(threads: 2) { _ in SendableBox(2) } }
    let after = Task { try await queue.result(threads: 1) { _ in SendableBox(3) } }
    waiting.cancel()
    // The waiting prediction ends, although the first prediction still occupies all threads.
    await #expect(throws: MLModelError.self) { try await waiting.value }
    gate.signal()
    #expect(try await long.value == 1)
    #expect(try await after.value == 3)
  }
}
