import CoreML
import Foundation
import ModelFormat
import Testing

/// Compares the losses of a network of three dense layers on house prices with the losses that NumPy computes.
@Suite("The updatable network of house prices", .enabled(if: Fixtures.areAvailable))
struct HousingTests {
  private static let model: URL = Fixtures.housing.appendingPathComponent(
    "s4tf_house_simplified_trainable_model.mlmodel")

  /// Returns the loss of every epoch. Expected/housing_losses.py computed the losses in NumPy 2.4.6 and float64.
  private static func expected(_ run: String) throws -> [Double] {
    let file: URL = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("Expected/housing_losses.json")
    let runs = try JSONDecoder().decode([String: [Double]].self, from: Data(contentsOf: file))
    return try #require(runs[run])
  }

  private static func array(_ values: [Double]) -> MLMultiArray {
    MLMultiArray(MLShapedArray<Float>(scalars: values.map { Float($0) }, shape: [values.count]))
  }

  /// Returns the rows of the table. A row has two categories, eleven numbers with mean 0 and standard deviation 1, and
  /// the price.
  private static func examples() throws -> [[String: Any]] {
    let text = try String(
      contentsOf: Fixtures.housing.appendingPathComponent("housing.csv"), encoding: .utf8)
    let rows: [[Double]] = text.split(separator: "\n").map { line in
      line.split(separator: " ").compactMap { Double($0) }
    }
    let count = Double(rows.count)
    let numerical: [Int] = (0..<13).filter { $0 != 3 && $0 != 8 }
    let means: [Double] = numerical.map { column in rows.map { $0[column] }.reduce(0, +) / count }
    let deviations: [Double] = zip(numerical, means).map { column, mean in
      (rows.map { ($0[column] - mean) * ($0[column] - mean) }.reduce(0, +) / count).squareRoot()
    }
    let districts: [Double] = Set(rows.map { $0[8] }).sorted()
    return rows.map { row in
      let numbers: [Double] = numerical.indices.map {
        (row[numerical[$0]] - means[$0]) / deviations[$0]
      }
      return [
        "categoricalInput1": array([row[3]]),
        "categoricalInput2": array([Double(districts.firstIndex(of: row[8])!)]),
        "numericalInput": array(numbers), "output_true": array([row[13]]),
      ]
    }
  }

  /// Updates a model and returns the loss of every epoch.
  private static func losses(
    _ model: URL, _ parameters: [MLParameterKey: Any]
  ) throws -> (losses: [Double], context: MLUpdateContext) {
    let noted: Noted<[Double]> = Noted([])
    let context = try update(
      model, with: examples(), parameters: parameters, events: .epochEnd,
      progress: { noted.value.append($0.metrics[.lossValue] as! Double) })
    #expect(context.task.error == nil)
    return (noted.value, context)
  }

  private static func largestDifference(_ losses: [Double], _ expected: [Double]) -> Double {
    guard losses.count == expected.count else { return .infinity }
    return zip(losses, expected).map { abs($0 - $1) / $1 }.max() ?? .infinity
  }

  @Test("The losses of 500 epochs of SGD match NumPy's within 1 %")
  func sgd() throws {
    let (losses, context) = try Self.losses(
      Self.model, [.learningRate: 0.0003, .shuffle: true])
    let difference: Double = Self.largestDifference(losses, try Self.expected("slow"))
    #expect(difference < 0.01, "\(difference)")
    #expect(context.metrics[.lossValue] as? Double == losses.last)
  }

  /// Compares only the first epochs. With the file's learning rate, the results of NumPy in float32 and in float64 also
  /// diverge in later epochs.
  @Test("With the file's learning rate the losses match NumPy's until rounding dominates")
  func fileSettings() throws {
    let (losses, _) = try Self.losses(Self.model, [.shuffle: false])
    #expect(losses.count == 500)
    let difference: Double = Self.largestDifference(
      Array(losses.prefix(250)), Array(try Self.expected("sgd").prefix(250)))
    #expect(difference < 0.01, "\(difference)")
  }

  /// Writes the model with another optimiser. The written model allows any number of epochs and any mini-batch size.
  private static func model(
    _ optimizer: Spec.Optimizer.OneOfOptimizerType, in folder: URL
  ) throws -> URL {
    var model: Spec.Model = try ModelFile.open(Self.model).model
    guard case .neuralNetwork(var network)? = model.type else { return Self.model }
    network.updateParams?.epochs?.allowedValues = nil
    network.updateParams?.optimizer?.optimizerType = optimizer
    model.type = .neuralNetwork(network)
    return try model.written(to: folder)
  }

  @Test("The losses of momentum and Adam in shuffled order match NumPy's within 1 %")
  func optimizers() throws {
    try Fixtures.withFolder { folder in
      let momentum: URL = try Self.model(.sgdOptimizer(UpdatableNetworks.sgd()), in: folder)
      let first = try Self.losses(
        momentum,
        [
          .epochs: 60, .learningRate: 0.0005, .momentum: 0.9, .miniBatchSize: 32, .shuffle: true,
        ])
      let difference: Double = Self.largestDifference(
        first.losses, try Self.expected("momentum"))
      #expect(difference < 0.01, "\(difference)")
      let adam: URL = try Self.model(.adamOptimizer(UpdatableNetworks.adam()), in: folder)
      let second = try Self.losses(
        adam, [.epochs: 60, .learningRate: 0.01, .miniBatchSize: 50, .shuffle: true])
      let other: Double = Self.largestDifference(second.losses, try Self.expected("adam"))
      #expect(other < 0.01, "\(other)")
    }
  }
}
