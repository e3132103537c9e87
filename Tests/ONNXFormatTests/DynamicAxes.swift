import Engine
import ModelFormat
import NetworkRuns
import ONNXFormat
import Testing

/// Compares two readings of a model whose inputs have dynamic axes. One reading keeps the axes dynamic. The other
/// reading gets the shapes of the inputs. Both must give the same results.
enum DynamicAxes {
  /// Runs the reading with dynamic axes twice: by the operators' reference implementations and by a plan. The expected
  /// results come from the reading with known shapes and the reference implementations. Returns the expected results.
  static func expectSame(
    _ making: ModelMaking, _ inputs: [ReferenceTensor], tolerance: Double = 0
  ) throws -> [ReferenceTensor] {
    var stated = ReadingOptions()
    for (input, tensor) in zip(making.model.graph?.input ?? [], inputs) {
      stated.extents[input.name] = tensor.shape.dimensions.map { Extent($0) }
    }
    let bytes = ByteValues(making.model.serialized())
    let expected: [ReferenceTensor?] = try ONNXReader.read(bytes, name: "stated", options: stated)
      .graph.definition(inputs)
    let model: GraphModel = try ONNXReader.read(bytes, name: "dynamic")
    let planned: [ReferenceTensor?] = try model.run(inputs)
    for made in [try model.graph.definition(inputs), planned] {
      try #require(made.count == expected.count)
      for (index, answer) in made.enumerated() {
        let own: ReferenceTensor = try #require(answer)
        let other: ReferenceTensor = try #require(expected[index])
        try #require(own.shape == other.shape)
        #expect(own.element == other.element)
        #expect(
          zip(own.reals, other.reals).allSatisfy {
            $0 == $1 || abs($0 - $1) <= tolerance
          }, "\(own.reals) instead of \(other.reals)")
      }
    }
    return expected.compactMap { $0 }
  }

  /// Returns numbers that are not sorted. The first 101 numbers are all different, and then they repeat.
  static func tensor(_ shape: Shape) -> ReferenceTensor {
    ReferenceTensor(shape, (0..<shape.count).map { Double($0 * 37 % 101) / 4 - 9 })
  }
}
