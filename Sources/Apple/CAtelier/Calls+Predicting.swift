import CAtelierHeader
import CoreML

@c @implementation
public func atelier_predict(
  _ model: OpaquePointer?, _ inputs: UnsafePointer<atelier_feature>?, _ input_count: Int64,
  _ results: UnsafeMutablePointer<OpaquePointer?>?,
  _ sentence: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> atelier_status {
  reporting(to: sentence) {
    let target = try given(results, "results")
    let loaded: LoadedModel = object(behind: try given(model, "model"))
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
    let loaded: LoadedModel = object(behind: try given(model, "model"))
    let (lists, counts) = (try given(inputs, "inputs"), try given(input_counts, "input_counts"))
    let target = try given(results, "results")
    let all: [Results] = try (0..<count).map { (index: Int) -> Results in
      try loaded.predict(Inputs(lists[index], count: counts[index]))
    }
    for (index, one) in all.enumerated() { target[index] = handle(one) }
  }
}

@c @implementation
public func atelier_results_count(_ results: OpaquePointer?) -> Int64 {
  guard let results else { return 0 }
  return Int64((object(behind: results) as Results).features.count)
}

@c @implementation
public func atelier_results_features(_ results: OpaquePointer?) -> UnsafePointer<atelier_feature>? {
  guard let results else { return nil }
  return UnsafePointer((object(behind: results) as Results).features.baseAddress)
}

@c @implementation
public func atelier_results_release(_ results: OpaquePointer?) { release(results, Results.self) }
