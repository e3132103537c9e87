import Graph

/// Reads pictures at given places.
///
///     y[b, c, i, j] = x[b, c] at the place (column, row) = places[b, i, j]
///
/// - Inputs: pictures `[B, C, H, W]`, and places `[B, H', W', 2]`, the column before the row; `[1, …]`
///   are the same for all pictures.
/// - Output: `[B, C, H', W']`.
/// - Between pixels, the four around are interpolated, or the nearest one is taken, the later one where two
///   are as near. A place that is not a number is 0.
/// - Error: pictures without pixels.
///
/// **Source:** `resample` of coremltools' iOS 15 operations.
public struct ResampleOperator: Operator {
  public static let declaration = OperatorDeclaration(
    "Resample", summary: "reads pictures at given places")

  /// What stands outside of a picture.
  public enum Border: Sendable, Hashable {
    /// One value.
    case constant(Float)
    /// The edge: `1 1 | 1 2 3 | 3 3`.
    case edge
    /// The picture mirrored without its edge: `3 2 | 1 2 3 | 2 1`.
    case reflection
    /// The picture mirrored with its edge: `2 1 | 1 2 3 | 3 2`.
    case symmetry
  }

  /// What the numbers of a place mean.
  public enum Coordinates: Sendable, Hashable {
    /// Pixels.
    case pixels
    /// −1 is one end of the picture, 1 the other. Ends are the centres of the first and the last pixel, or
    /// else their outer edges.
    case minusOneToOne(endsAreCentres: Bool)
    /// 0 is one end of the picture, 1 the other.
    case zeroToOne(endsAreCentres: Bool)

    /// A pixel is a place times the scale plus the offset, on an axis of so many pixels.
    package func line(extent: Int) -> (scale: Double, offset: Double) {
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

  /// Whether the nearest pixel is taken instead of interpolating.
  public let isNearest: Bool
  /// What stands outside of a picture.
  public let border: Border
  /// What the numbers of a place mean.
  public let coordinates: Coordinates

  /// A reading of pictures at places.
  public init(isNearest: Bool = false, border: Border, coordinates: Coordinates) {
    self.isNearest = isNearest
    self.border = border
    self.coordinates = coordinates
  }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    [inputs[0].type.reshaped(to: try shape(inputs[0].shape, inputs[1].shape))]
  }

  private func shape(_ pictures: Shape, _ places: Shape) throws -> Shape {
    guard pictures.rank == 4, places.rank == 4, places[3] == 2,
      places[0] == 1 || places[0] == pictures[0]
    else {
      throw EngineError(
        .invalidInput,
        "the pictures are \(pictures) and the places \(places), expected batch × C × H × W and batch × H' × W' × 2."
      )
    }
    let shape = Shape([pictures[0], pictures[1], places[1], places[2]])
    guard pictures.count > 0 || shape.count == 0 else {
      throw EngineError(.invalidInput, "the pictures (\(pictures)) have no pixels to read.")
    }
    return try Shape.checked(shape.dimensions, limit: Shape.boundlessCount)
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let (pictures, places) = (inputs[0], inputs[1])
    let output: Shape = try shape(pictures.shape, places.shape)
    let (height, width) = (pictures.shape[2], pictures.shape[3])
    let (down, across) = (coordinates.line(extent: height), coordinates.line(extent: width))
    return [
      ReferenceTensor(output) { index in
        let place: [Int] = [places.shape[0] == 1 ? 0 : index[0], index[2], index[3]]
        let x: Double = places[place + [0]] * across.scale + across.offset
        let y: Double = places[place + [1]] * down.scale + down.offset
        var sum: Double = 0
        for (row, rowShare) in taps(y, extent: height) where rowShare != 0 {
          for (column, columnShare) in taps(x, extent: width) where columnShare != 0 {
            var value: Double = 0
            if let row, let column {
              value = pictures[[index[0], index[1], row, column]]
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

  private static let places: ClosedRange<Int> = -(1 << 40)...1 << 40

  /// The pixels that a point of an axis is made of with their shares; nil is outside.
  private func taps(_ point: Double, extent: Int) -> [(pixel: Int?, share: Double)] {
    let kept: Double = point.isNaN ? 0 : min(max(point, -0x1p40), 0x1p40)
    if isNearest {
      return [
        (pixel(Int(bounding: (kept + 0.5).rounded(.down), to: Self.places), extent: extent), 1)
      ]
    }
    let first = Int(bounding: kept.rounded(.down), to: Self.places)
    let share: Double = kept - Double(first)
    return [
      (pixel(first, extent: extent), 1 - share), (pixel(first + 1, extent: extent), share),
    ]
  }

  /// The pixel at an index of an axis that goes on beyond its ends.
  private func pixel(_ index: Int, extent: Int) -> Int? {
    if (0..<extent).contains(index) { return index }
    switch border {
    case .constant: return nil
    case .edge: return index < 0 ? 0 : extent - 1
    case .reflection:
      guard extent > 1 else { return 0 }
      let period: Int = 2 * (extent - 1)
      let place: Int = (index % period + period) % period
      return min(place, period - place)
    case .symmetry:
      let period: Int = 2 * extent
      let place: Int = (index % period + period) % period
      return min(place, period - 1 - place)
    }
  }
}
