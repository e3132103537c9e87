import Graph

/// Cuts regions out of a picture and resizes each to the same size, interpolating between four
/// pixels.
///
/// - Inputs: pictures `[1, B, C, H, W]` and N regions, `[N, 1, 4, 1, 1]` (each taken from every
///   picture) or `[N, 1, 5, 1, 1]` (the first number says from which picture).
/// - Output: `[N, B, C, height, width]`, or `[N, 1, C, height, width]` with picture numbers.
/// - The four numbers are corners or centre and size, rows or columns first. Normalised ones count
///   `H − 1` and `W − 1` as 1; all are multiplied by the scale. Points outside the picture read its
///   edge, or have the value outside where there is one, and a region may run backwards; but between the
///   centres of pixels it is the whole picture then.
/// - Defaults: size 1 × 1, scale 1, grid ``SamplingGrid/strictAlignEndpoints``.
/// - Error: a picture number that does not exist.
///
/// **Source:** `CropResizeLayerParams`; He et al., “Mask R-CNN” (arXiv 1703.06870) for RoI align.
public struct CropResizeOperator: Operator {
  public static let declaration = OperatorDeclaration(
    "CropResize",
    summary: "cuts regions out of a picture and resizes them, interpolating")

  /// What the four numbers of a region mean.
  public enum Coordinates: Sendable, Hashable {
    /// First row, first column, last row, last column.
    case cornersHeightFirst
    /// First column, first row, last column, last row.
    case cornersWidthFirst
    /// Centre row, centre column, height, width.
    case centerSizeHeightFirst
    /// Centre column, centre row, width, height.
    case centerSizeWidthFirst
  }

  /// Rows of each output.
  public let height: Int
  /// Columns of each output.
  public let width: Int
  /// Where a region is read.
  public let grid: SamplingGrid
  /// What the four numbers of a region mean.
  public let coordinates: Coordinates
  /// Whether the numbers are shares of `H − 1` and `W − 1`.
  public let isNormalized: Bool
  /// A factor on all four numbers.
  public let spatialScale: Float
  /// The value of points outside the picture; nil where they read its edge.
  public let outside: Float?

  /// Regions resized to the given size.
  public init(
    height: Int, width: Int, grid: SamplingGrid, coordinates: Coordinates = .cornersHeightFirst,
    isNormalized: Bool = false, spatialScale: Float = 1, outside: Float? = nil
  ) {
    self.height = height
    self.width = width
    self.grid = grid
    self.coordinates = coordinates
    self.isNormalized = isNormalized
    self.spatialScale = spatialScale
    self.outside = outside
  }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    [inputs[0].type.reshaped(to: try outputShape(inputs[0].shape, inputs[1].shape))]
  }

  private func outputShape(_ pictures: Shape, _ regions: Shape) throws -> Shape {
    guard pictures.rank == 5, pictures[0] == 1 else {
      throw EngineError(
        .invalidInput, "the pictures are \(pictures), expected 1 × batch × C × H × W.")
    }
    let numbers: Int = regions.rank == 5 ? regions[2] : 0
    guard regions.rank == 5, numbers == 4 || numbers == 5, regions[1] == 1,
      regions[3] == 1, regions[4] == 1
    else {
      throw EngineError(
        .invalidInput,
        "the regions are \(regions), expected N × 1 × 4 × 1 × 1, or 5 numbers with that of the picture in front."
      )
    }
    guard pictures[3] > 0 && pictures[4] > 0 || height == 0 || width == 0 else {
      throw EngineError(.invalidInput, "the pictures (\(pictures)) have no pixels to read.")
    }
    let batch: Int = numbers == 5 ? 1 : pictures[1]
    return try Shape.checked([regions[0], batch, pictures[2], height, width])
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let (pictures, regions) = (inputs[0], inputs[1])
    let shape: Shape = try outputShape(pictures.shape, regions.shape)
    let numbers: Int = regions.shape[2]
    var output = ReferenceTensor(shape)
    let each: Int = shape.product(1..<5)
    for region in 0..<shape[0] {
      var box: [Double] = Array(regions.values[region * numbers..<(region + 1) * numbers])
      var first = 0
      if numbers == 5 {
        first = ReferenceTensor.integer(box.removeFirst())
        guard (0..<pictures.shape[1]).contains(first) else {
          throw Self.noPicture(first, region: region, of: pictures.shape[1])
        }
      }
      let (rows, columns) = taps(box, pictures.shape)
      let part = Shape(Array(shape.dimensions[1...]))
      part.forEachIndex { index, position in
        let (row, column) = (rows[index[2]], columns[index[3]])
        if let outside, row.isOutside || column.isOutside {
          output.values[region * each + position] = Double(outside)
          return
        }
        output.values[region * each + position] = interpolated(row, column) {
          pictures[[0, first + index[0], index[1], $0, $1]]
        }
      }
    }
    return [output]
  }

  /// Where the rows and columns of one region are read.
  private func taps(_ box: [Double], _ pictures: Shape)
    -> (rows: [InterpolationTap], columns: [InterpolationTap])
  {
    let (height, width) = (pictures[3], pictures[4])
    var box: [Double] = box
    if coordinates == .cornersWidthFirst || coordinates == .centerSizeWidthFirst {
      box = [box[1], box[0], box[3], box[2]]
    }
    let scale: Double = Double(spatialScale)
    let rowScale: Double = isNormalized ? Double(height - 1) * scale : scale
    let columnScale: Double = isNormalized ? Double(width - 1) * scale : scale
    box = [box[0] * rowScale, box[1] * columnScale, box[2] * rowScale, box[3] * columnScale]
    if coordinates == .centerSizeHeightFirst || coordinates == .centerSizeWidthFirst {
      box = [
        box[0] - box[2] / 2, box[1] - box[3] / 2, box[0] + box[2] / 2, box[1] + box[3] / 2,
      ]
    }
    if grid == .pixelCentres {
      if box[0] > box[2] { (box[0], box[2]) = (0, Double(height - 1)) }
      if box[1] > box[3] { (box[1], box[3]) = (0, Double(width - 1)) }
    }
    return (
      grid.points(from: box[0], to: box[2], count: self.height)
        .map { InterpolationTap($0, extent: height) },
      grid.points(from: box[1], to: box[3], count: self.width)
        .map { InterpolationTap($0, extent: width) }
    )
  }

  /// The error for a region of a picture that does not exist.
  package static func noPicture(_ picture: Int, region: Int, of count: Int) -> EngineError {
    EngineError(
      .invalidInput, "region \(region) is of picture \(picture), expected 0 to \(count - 1).")
  }
}
