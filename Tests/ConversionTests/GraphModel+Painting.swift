import Conversion
import Engine
import NeuralNetworkFormat
import Operators

extension GraphModel {
  /// Runs the model on images of pseudo-random samples 0…255. The samples are the same for all models with the same
  /// inputs. In inputs that are not images, the first element is 1 and the others are 0.
  ///
  /// - Parameter size: the extents of image inputs. Inputs of other types have their default extents.
  func painted(_ size: [Int]) throws -> [Float] {
    var model: GraphModel = self
    for position in model.inputs.indices { model.computeScaling(ofInput: position) }
    let network = Network(model.graph, passes: GraphPasses.standard, options: ExecutionOptions())
    let types: [TensorType] = model.inputs.map { feature in
      TensorType(
        feature.image == nil ? Shape(feature.usualExtents ?? [1]) : Shape(size), feature.held)
    }
    return try network.plan(for: types).withSession { session in
      for (index, type) in types.enumerated() {
        var generator = SplitMix64(seed: 5)
        let values: [Double] = (0..<type.shape.count).map { element in
          model.inputs[index].image == nil
            ? (element == 0 ? 1 : 0) : generator.uniform(0...255).rounded()
        }
        let port = session.input(index)
        TensorCodec.pack(ReferenceTensor(type.shape, values), as: port.form, into: port.memory)
      }
      try session.run()
      let port = try session.output(0)
      return TensorCodec.unpack(port.memory, as: port.form).values.map { Float($0) }
    }
  }

  /// Returns the largest difference between this model's and another model's image. The difference is infinite if the
  /// images differ in size. Also returns the largest magnitude in the other model's image.
  func difference(from model: GraphModel) throws -> (difference: Float, largest: Float) {
    let known: [Float] = try model.painted(model.paintedSize)
    let found: [Float] = try painted(model.paintedSize)
    let differences: [Float] = zip(found, known).map { abs($0 - $1) }
    return (
      found.count == known.count ? differences.max() ?? .infinity : .infinity,
      known.map(abs).max() ?? 0
    )
  }

  /// The extents of a test image. The image is not square if the model allows any size.
  var paintedSize: [Int] {
    let feature = inputs.first { $0.image != nil }
    let isFree: Bool = feature?.extents?.contains { $0.fixed == nil } ?? false
    let usual: [Int] = feature?.usualExtents ?? [1, 3, 256, 256]
    return isFree ? [1, 3, 250, 260] : usual
  }
}
