import Graph
import Operators

/// Grid sampling: operations that read images at given positions, and operations that compute such positions from an
/// affine map.
enum SamplingReaders {
  static let all: [OperationReader] = [
    OperationReader("resample", since: .iOS15, as: [ResampleOperator.self]) { operation in
      let (x, positions) = (try operation.tensor("x"), try operation.tensor("coordinates"))
      guard x.rank == 4, positions.rank == 4 else {
        throw operation.invalid(
          "'x' has \(x.rank ?? 0) dimensions and 'coordinates' \(positions.rank ?? 0), expected 4.")
      }
      return [.value(operation.add(try sampling(operation), x.id, operation.real(positions)))]
    },
    OperationReader(
      "affine", since: .iOS15, as: [ResampleOperator.self, BatchedMatMulOperator.self]
    ) { [.value(try mapped($0))] },
  ]

  private static func sampling(_ operation: ProgramOperation) throws -> ResampleOperator {
    let isNearest: Bool
    switch try operation.string("sampling_mode").lowercased() {
    case "bilinear": isNearest = false
    case "nearest": isNearest = true
    case let other:
      throw operation.invalid("sampling_mode is '\(other)', expected bilinear or nearest.")
    }
    return ResampleOperator(
      isNearest: isNearest, border: try border(operation), coordinates: try coordinates(operation))
  }

  private static func border(_ operation: ProgramOperation) throws -> ResampleOperator.Border {
    switch try operation.string("padding_mode").lowercased() {
    case "constant": return .constant(try operation.float("padding_value", or: 0))
    case "border": return .edge
    case "reflection": return .reflection
    case "symmetric": return .symmetry
    case let other:
      throw operation.invalid(
        "padding_mode is '\(other)', expected constant, border, reflection or symmetric.")
    }
  }

  private static func coordinates(_ operation: ProgramOperation) throws
    -> ResampleOperator.Coordinates
  {
    let aligns: Bool = try operation.bool("align_corners", or: false)
    switch try operation.string("coordinates_mode").lowercased() {
    case "unnormalized": return .pixels
    case "normalized_minus_one_to_one": return .minusOneToOne(endsAreCentres: aligns)
    case "normalized_zero_to_one": return .zeroToOne(endsAreCentres: aligns)
    case let other:
      throw operation.invalid(
        "coordinates_mode is '\(other)', expected unnormalized, normalized_minus_one_to_one or normalized_zero_to_one."
      )
    }
  }

  /// Reads `affine`. Multiplies the coordinates of the output's pixels by a matrix `[a₀ a₁ a₂; b₀ b₁ b₂]`, and reads
  /// the input at the resulting positions. There is one matrix per image, or a single matrix for all images.
  private static func mapped(_ operation: ProgramOperation) throws -> Graph.ValueID {
    let (x, matrix) = (try operation.tensor("x"), try operation.tensor("transform_matrix"))
    guard x.rank == 4, matrix.rank == 2 else {
      throw operation.invalid(
        "'x' has \(x.rank ?? 0) dimensions and 'transform_matrix' \(matrix.rank ?? 0), expected 4 and 2."
      )
    }
    let height: Int = try operation.size("output_height")
    let width: Int = try operation.size("output_width")
    let sampling: ResampleOperator = try sampling(operation)
    let positions = operation.builder.addConstant(
      try positions(height, width, sampling.coordinates), name: operation.name)
    let rows = operation.add(
      ReshapeStaticOperator(targetShape: [-1, 2, 3]), operation.real(matrix))
    let mapped = operation.add(BatchedMatMulOperator(transposesRight: true), positions, rows)
    return operation.add(
      sampling, x.id,
      operation.add(ReshapeStaticOperator(targetShape: [-1, height, width, 2]), mapped))
  }

  /// Returns the coordinates of the output's pixels as `[1, height · width, 3]`. The three numbers of a pixel are its
  /// column, its row, and 1.
  private static func positions(
    _ height: Int, _ width: Int, _ coordinates: ResampleOperator.Coordinates
  ) throws -> Constant {
    let (down, across) = (coordinates.affine(extent: height), coordinates.affine(extent: width))
    @Sendable func coordinate(_ pixel: Int, _ affine: (scale: Double, offset: Double)) -> Double {
      affine.scale == 0 ? 0 : (Double(pixel) - affine.offset) / affine.scale
    }
    return try Constant.computed(
      [1, height * width, 3], "the coordinates of \(height) × \(width) pixels, \(coordinates)"
    ) {
      var values: [Float] = []
      values.reserveCapacity(3 * height * width)
      for row in 0..<height {
        for column in 0..<width {
          values += [Float(coordinate(column, across)), Float(coordinate(row, down)), 1]
        }
      }
      return values
    }
  }
}
