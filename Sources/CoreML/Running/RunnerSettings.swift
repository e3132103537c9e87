import Engine
import Foundation

/// What of a model's configuration the runners need.
struct RunnerSettings: Sendable {
  let options: ExecutionOptions
  let allowsAnyInputSize: Bool
  /// The k of a nearest-neighbours classifier; nil for the model's own.
  let numberOfNeighbors: Int64?

  init(_ configuration: MLModelConfiguration) {
    let isExact: Bool = configuration.computeUnits == .cpuOnly
    let precision: Precision =
      !isExact && Processor.current.prefersBFloat16 ? .bfloat16 : .float32
    var options = ExecutionOptions(precision: precision, memoryLimit: configuration.memoryLimit)
    if let threads = configuration.threadCount { options.threads = max(1, threads) }
    self.options = options
    allowsAnyInputSize = configuration.allowsAnyInputSize
    numberOfNeighbors =
      (configuration.parameters?[.numberOfNeighbors] as? NSNumber).map(\.int64Value)
  }
}
