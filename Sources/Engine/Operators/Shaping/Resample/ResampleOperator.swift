import Graph

/// Samples images at given points.
///
///     y[b, c, i, j] = the value of x[b, c] at the point (column, row) = points[b, i, j]
///
/// - Inputs: images `[B, C, H, W]`, and points `[B, H', W', 2]`. A point is a column and a row. Points `[1, H', W', 2]`
///   apply to all images.
/// - Output: `[B, C, H', W']`.
/// - At a point between pixels, the operator interpolates between the four nearest pixels. If ``isNearest`` is set, it
///   copies the nearest pixel instead. If two pixels are equally near, it copies the pixel with the higher index. A NaN
///   coordinate counts as 0.
/// - Error: images without pixels.
///
/// **Source:** `resample` of coremltools' iOS 15 operations.
public struct ResampleOperator: Operator {
  public static let declaration = OperatorDeclaration(
    "Resample", summary: "samples images at given points")

  /// The values of pixels outside an image.
  public enum Border: Sendable, Hashable {
    /// All pixels outside the image have this value.
    case constant(Float)
    /// A pixel outside the image has the value of the nearest edge pixel: `1 1 | 1 2 3 | 3 3`.
    case edge
    /// The image is reflected, and the edge pixel is not repeated: `3 2 | 1 2 3 | 2 1`.
    case reflection
    /// The image is reflected, and the edge pixel is repeated: `2 1 | 1 2 3 | 3 2`.
    case symmetry
  }

  /// The unit and the range of the coordinates of a point.
  public enum Coordinates: Sendable, Hashable {
    /// Coordinates are pixel indices.
    case pixels
    /// −1 is the start of an axis, 1 its end. Start and end are the centres of the first and last pixel if
    /// `endsAreCentres` is true, otherwise the outer edges of these pixels.
    case minusOneToOne(endsAreCentres: Bool)
    /// 0 is the start of an axis, 1 its end. `endsAreCentres` means the same as in ``minusOneToOne(endsAreCentres:)``.
    case zeroToOne(endsAreCentres: Bool)

    /// Returns the scale and the offset that convert a coordinate on an axis of `extent` pixels to a position in
    /// pixels. The position is `coordinate · scale + offset`.
    package func affine(extent: Int) -> (scale: Double, offset: Double) {
      let pixels = Double(extent)
      switch self {
      case .pixels: return (1, 0)
      case .minusOneToOne(true): return ((pixels - 1) / 2, (pixels - 1) / 2)
      case .minusOneToOne(false): return (pixels / 2, (pixels - 1) / 2)
      case .zeroToOne(true): return (pixels - 1, 0)
      case .zeroToOne(false): return (pixels, -0.5)
      }
    }
  }

  /// Whether the operator copies the nearest pixel; otherwise it interpolates.
  public let isNearest: Bool
  /// The values of pixels outside an image.
  public let border: Border
  /// The unit and the range of the coordinates of a point.
  public let coordinates: Coordinates

  /// Creates an operator that samples images at points.
  public init(isNearest: Bool = false, border: Border, coordinates: Coordinates) {
    self.isNearest = isNearest
    self.border = border
    self.coordinates = coordinates
  }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    [inputs[0].type.reshaped(to: try shape(inputs[0].shape, inputs[1].shape))]
  }

  private func shape(_ images: Shape, _ points: Shape) throws -> Shape {
    guard images.rank == 4, points.rank == 4, points[3] == 2,
      points[0] == 1 || points[0] == images[0]
    else {
      throw EngineError(
        .invalidInput,
        "the images are \(images) and the points \(points), expected batch × C × H × W and batch × H' × W' × 2."
      )
    }
    let shape = Shape([images[0], images[1], points[1], points[2]])
    guard images.count > 0 || shape.count == 0 else {
      throw EngineError(.invalidInput, "the images (\(images)) have no pixels to read.")
    }
    return try Shape.checked(shape.dimensions, limit: Shape.boundlessCount)
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let (images, points) = (inputs[0], inputs[1])
    let output: Shape = try shape(images.shape, points.shape)
    let (height, width) = (images.shape[2], images.shape[3])
    let (down, across) = (coordinates.affine(extent: height), coordinates.affine(extent: width))
    return [
      ReferenceTensor(output) { index in
        let point: [Int] = [points.shape[0] == 1 ? 0 : index[0], index[2], index[3]]
        let x: Double = points[point + [0]] * across.scale + across.offset
        let y: Double = points[point + [1]] * down.scale + down.offset
        var sum: Double = 0
        for (row, rowShare) in taps(y, extent: height) where rowShare != 0 {
          for (column, columnShare) in taps(x, extent: width) where columnShare != 0 {
            var value: Double = 0
            if let row, let column {
              value = images[[index[0], index[1], row, column]]
            } else if case .constant(let outside) = border {
              value = Double(outside)
            }
            sum += rowShare * columnShare * value
          }
        }
        return sum
      }
    ]
  }

  private static let pixelRange: ClosedRange<Int> = -(1 << 40)...1 << 40

  /// Returns the pixels that the operator combines for a point along one axis, each with its weight `share`. A pixel is
  /// nil if it is outside the image and ``border`` gives it a constant value.
  private func taps(_ point: Double, extent: Int) -> [(pixel: Int?, share: Double)] {
    let clamped: Double = point.isNaN ? 0 : min(max(point, -0x1p40), 0x1p40)
    if isNearest {
      return [
        (
          pixel(Int(bounding: (clamped + 0.5).rounded(.down), to: Self.pixelRange), extent: extent),
          1
        )
      ]
    }
    let first = Int(bounding: clamped.rounded(.down), to: Self.pixelRange)
    let share: Double = clamped - Double(first)
    return [
      (pixel(first, extent: extent), 1 - share), (pixel(first + 1, extent: extent), share),
    ]
  }

  /// Returns the pixel to read at an index, which may be outside the axis. Nil if ``border`` gives this index a
  /// constant value.
  private func pixel(_ index: Int, extent: Int) -> Int? {
    if (0..<extent).contains(index) { return index }
    switch border {
    case .constant: return nil
    case .edge: return index < 0 ? 0 : extent - 1
    case .reflection:
      guard extent > 1 else { return 0 }
      let period: Int = 2 * (extent - 1)
      let phase: Int = (index % period + period) % period
      return min(phase, period - phase)
    case .symmetry:
      let period: Int = 2 * extent
      let phase: Int = (index % period + period) % period
      return min(phase, period - 1 - phase)
    }
  }
}
