import Graph

/// Cuts regions out of an image and resizes all of them to one size, with bilinear interpolation.
///
/// - Inputs: images `[1, B, C, H, W]`, and N regions of four or five numbers. Regions `[N, 1, 4, 1, 1]` are cut from
///   every image. In regions `[N, 1, 5, 1, 1]` the first number is the index of an image, and the region is cut only
///   from this image.
/// - Output: `[N, B, C, height, width]`, or `[N, 1, C, height, width]` if the regions hold image indices.
/// - The four numbers are the corners, or the centre and the size, in pixels. ``coordinates`` states which, and whether
///   rows or columns come first. If ``isNormalized`` is set, the numbers are fractions of `H − 1` and `W − 1`. All four
///   numbers are multiplied by ``spatialScale``.
/// - Points outside the image have the value ``outside``. If ``outside`` is nil, they have the value of the nearest
///   pixel at the image's edge.
/// - The last row of a region may be before its first row. With the grid ``SamplingGrid/pixelCentres``, such a region
///   covers all rows of the image. The same holds for columns.
/// - Defaults in a model: size 1 × 1, scale 1, grid ``SamplingGrid/strictAlignEndpoints``.
/// - Errors: an image index out of range.
///
/// **Source:** `CropResizeLayerParams`; He et al., “Mask R-CNN” (arXiv 1703.06870) for RoI align.
public struct CropResizeOperator: Operator {
  public static let declaration = OperatorDeclaration(
    "CropResize",
    summary: "cuts regions out of an image and resizes them with interpolation")

  /// The meaning of the four numbers of a region.
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

  /// The number of rows of each resized region.
  public let height: Int
  /// The number of columns of each resized region.
  public let width: Int
  /// The placement of the points at which the operator samples a region.
  public let grid: SamplingGrid
  /// The meaning of the four numbers of a region.
  public let coordinates: Coordinates
  /// Whether the four numbers are fractions of `H − 1` and `W − 1` instead of pixels.
  public let isNormalized: Bool
  /// The factor by which the operator multiplies the four numbers of a region.
  public let spatialScale: Float
  /// The value of points outside the image; nil if these points have the value of the nearest edge pixel.
  public let outside: Float?

  /// Creates an operator that resizes regions to this size.
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

  private func outputShape(_ images: Shape, _ regions: Shape) throws -> Shape {
    guard images.rank == 5, images[0] == 1 else {
      throw EngineError(
        .invalidInput, "the images are \(images), expected 1 × batch × C × H × W.")
    }
    let numbers: Int = regions.rank == 5 ? regions[2] : 0
    guard regions.rank == 5, numbers == 4 || numbers == 5, regions[1] == 1,
      regions[3] == 1, regions[4] == 1
    else {
      throw EngineError(
        .invalidInput,
        "the regions are \(regions), expected N × 1 × 4 × 1 × 1, or 5 numbers that begin with the image index."
      )
    }
    guard images[3] > 0 && images[4] > 0 || height == 0 || width == 0 else {
      throw EngineError(.invalidInput, "the images (\(images)) have no pixels to read.")
    }
    let batch: Int = numbers == 5 ? 1 : images[1]
    return try Shape.checked([regions[0], batch, images[2], height, width])
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let (images, regions) = (inputs[0], inputs[1])
    let shape: Shape = try outputShape(images.shape, regions.shape)
    let numbers: Int = regions.shape[2]
    var output = ReferenceTensor(shape)
    let each: Int = shape.product(1..<5)
    for region in 0..<shape[0] {
      var box: [Double] = Array(regions.values[region * numbers..<(region + 1) * numbers])
      var first = 0
      if numbers == 5 {
        first = ReferenceTensor.integer(box.removeFirst())
        guard (0..<images.shape[1]).contains(first) else {
          throw Self.noImage(first, region: region, of: images.shape[1])
        }
      }
      let (rows, columns) = taps(box, images.shape)
      let part = Shape(Array(shape.dimensions[1...]))
      part.forEachIndex { index, position in
        let (row, column) = (rows[index[2]], columns[index[3]])
        if let outside, row.isOutside || column.isOutside {
          output.values[region * each + position] = Double(outside)
          return
        }
        output.values[region * each + position] = interpolated(row, column) {
          images[[0, first + index[0], index[1], $0, $1]]
        }
      }
    }
    return [output]
  }

  /// Returns the pixels between which the operator interpolates, for each row and for each column of one resized
  /// region.
  private func taps(_ box: [Double], _ images: Shape)
    -> (rows: [InterpolationTap], columns: [InterpolationTap])
  {
    let (height, width) = (images[3], images[4])
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

  /// Returns the error for a region whose image index is out of range.
  package static func noImage(_ image: Int, region: Int, of count: Int) -> EngineError {
    EngineError(
      .invalidInput, "region \(region) is of image \(image), expected 0 to \(count - 1).")
  }
}
