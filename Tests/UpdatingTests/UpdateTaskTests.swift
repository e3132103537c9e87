import CoreML
import Foundation
import ModelFormat
import Testing

@Suite("Update tasks")
struct UpdateTaskTests {
  private func task(
    _ folder: URL, count: Int = 3, events: MLUpdateProgressEvent = [],
    progress: ((MLUpdateContext) -> Void)? = nil,
    completion: @escaping (MLUpdateContext) -> Void
  ) throws -> MLUpdateTask {
    let batch = MLArrayBatchProvider(
      array: try (0..<count).map { index in
        try MLDictionaryFeatureProvider(
          dictionary: NeighborModels.point([Float(index), 0], "label \(index)"))
      })
    return try MLUpdateTask(
      forModelAt: NeighborModels.empty().written(to: folder), trainingData: batch,
      progressHandlers: MLUpdateProgressHandlers(
        forEvents: events, progressHandler: progress, completionHandler: completion))
  }

  @Test("A task is suspended, runs in the background, and completes once")
  func states() throws {
    try Fixtures.withFolder { folder in
      let done = DispatchSemaphore(value: 0)
      let seen: Noted<[String]> = Noted([])
      let task = try task(
        folder, events: [.trainingBegin, .epochEnd],
        progress: { context in
          seen.value.append("\(context.event.rawValue) \(context.task.state)")
          seen.value.append(Thread.isMainThread ? "main" : "background")
          context.task.resume()
        },
        completion: { context in
          seen.value.append("\(context.event.rawValue) \(context.task.state)")
          done.signal()
        })
      #expect(task.state == .suspended)
      task.resume()
      done.wait()
      task.resume()
      #expect(done.wait(timeout: .now() + 0.2) == .timedOut)
      #expect(
        seen.value == [
          "1 running", "background", "2 running", "background", "0 completed",
        ])
      #expect(!task.taskIdentifier.isEmpty)
    }
  }

  @Test("A context's model is that of its event, also when it is read later")
  func snapshots() throws {
    try Fixtures.withFolder { folder in
      let contexts: Noted<[MLUpdateContext]> = Noted([])
      let done = DispatchSemaphore(value: 0)
      let task = try task(
        folder, events: [.trainingBegin, .epochEnd],
        progress: { contexts.value.append($0) },
        completion: { context in
          contexts.value.append(context)
          done.signal()
        })
      task.resume()
      done.wait()
      let labels: [String] = try contexts.value.map { context in
        try NeighborModels.label(of: [1, 0], by: context.model).stringValue
      }
      #expect(labels == ["unknown", "label 1", "label 1"])
    }
  }

  @Test("A task that is cancelled before it starts never runs; a running one stops")
  func cancelling() throws {
    try Fixtures.withFolder { folder in
      let calls: Noted<Int> = Noted(0)
      let early = try task(folder, completion: { _ in calls.value += 1 })
      early.cancel()
      early.resume()
      #expect(early.state == .failed)
      #expect(
        early.error?.localizedDescription == "The update was cancelled before it was finished.")
      let within = try task(
        folder, events: .trainingBegin,
        progress: { context in
          context.task.cancel()
          calls.value += context.task.state == .cancelling ? 10 : 0
        },
        completion: { _ in calls.value += 1 })
      within.resume()
      for _ in 0..<500 where within.state != .failed { Thread.sleep(forTimeInterval: 0.01) }
      #expect(within.state == .failed)
      #expect(calls.value == 10, "the completion handler is not called")
    }
  }

  @Test("Parameters that a handler changes are used and checked")
  func changing() throws {
    try Fixtures.withFolder { folder in
      let done = DispatchSemaphore(value: 0)
      let end: Noted<MLUpdateContext?> = Noted(nil)
      func run(_ value: Any) throws -> MLUpdateContext? {
        let task = try task(
          folder, events: .trainingBegin,
          progress: { $0.task.resume(withParameters: [.numberOfNeighbors: value]) },
          completion: { context in
            end.value = context
            done.signal()
          })
        task.resume()
        done.wait()
        return end.value
      }
      let changed = try #require(try run(1))
      #expect(changed.parameters[.numberOfNeighbors] as? Int == 1)
      let failed = try #require(try run("many"))
      #expect(
        failed.task.error?.localizedDescription
          == "The parameter 'numberOfNeighbors' is a String; expected a number.")
    }
  }
}
