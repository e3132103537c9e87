import CAtelierHeader
import CoreML
import Dispatch
import Foundation

@c @implementation
public func atelier_predict(
  _ model: OpaquePointer?, _ inputs: UnsafePointer<atelier_feature>?, _ input_count: Int64,
  _ results: UnsafeMutablePointer<OpaquePointer?>?,
  _ sentence: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> atelier_status {
  reporting(to: sentence) {
    let target = try nonNull(results, "results")
    let loaded: LoadedModel = object(of: try nonNull(model, "model"))
    target.pointee = handle(try loaded.predict(Inputs(inputs, count: input_count)))
  }
}

@c @implementation
public func atelier_predict_batch(
  _ model: OpaquePointer?, _ inputs: UnsafePointer<UnsafePointer<atelier_feature>?>?,
  _ input_counts: UnsafePointer<Int64>?, _ batch_count: Int64,
  _ results: UnsafeMutablePointer<OpaquePointer?>?,
  _ sentence: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> atelier_status {
  reporting(to: sentence) {
    let count: Int = try length(batch_count, "batch_count")
    guard count > 0 else { return }
    let loaded: LoadedModel = object(of: try nonNull(model, "model"))
    let (lists, counts) = (
      try nonNull(inputs, "inputs"), try nonNull(input_counts, "input_counts")
    )
    let target = try nonNull(results, "results")
    let all: [Results] = try predictions(count) { (index: Int) -> Results in
      try loaded.predict(Inputs(lists[index], count: counts[index]))
    }
    for (index, one) in all.enumerated() { target[index] = handle(one) }
  }
}

/// Predicts for all indices below `count`, with at most one simultaneous prediction per processor. Simultaneous
/// predictions share the processors. Throws the error of the first input that fails.
private func predictions(_ count: Int, _ predict: (Int) throws -> Results) throws -> [Results] {
  let outcomes = UnsafeMutableBufferPointer<Result<Results, any Error>?>.allocate(capacity: count)
  outcomes.initialize(repeating: nil)
  defer {
    outcomes.deinitialize()
    outcomes.deallocate()
  }
  let workers: Int = min(count, ProcessInfo.processInfo.activeProcessorCount)
  // Safe: no two workers write the same index, and all workers have ended when concurrentPerform returns. Models and
  // results may be used on any thread (atelier.h).
  nonisolated(unsafe) let (slots, body) = (outcomes, predict)
  DispatchQueue.concurrentPerform(iterations: workers) { worker in
    for index in stride(from: worker, to: count, by: workers) {
      slots[index] = Result { try body(index) }
    }
  }
  return try outcomes.compactMap { try $0?.get() }
}

@c @implementation
public func atelier_results_count(_ results: OpaquePointer?) -> Int64 {
  guard let results else { return 0 }
  return Int64((object(of: results) as Results).features.count)
}

@c @implementation
public func atelier_results_features(_ results: OpaquePointer?) -> UnsafePointer<atelier_feature>? {
  guard let results else { return nil }
  return UnsafePointer((object(of: results) as Results).features.baseAddress)
}

@c @implementation
public func atelier_results_release(_ results: OpaquePointer?) { release(results, Results.self) }
