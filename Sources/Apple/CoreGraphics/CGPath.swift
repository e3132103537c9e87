import Foundation

/// The rule that says which points are inside of a path.
public enum CGPathFillRule: Int, Sendable {
  /// Points around which the path winds at least once, counted with directions.
  case winding
  /// Points from which a ray crosses the path an odd number of times.
  case evenOdd
}

/// The ends of lines.
public enum CGLineCap: Int32, Sendable {
  /// The line ends at its end point.
  case butt = 0
  /// A half circle around the end point.
  case round = 1
  /// The line continues by half of its width.
  case square = 2
}

/// The corners between lines.
public enum CGLineJoin: Int32, Sendable {
  /// A sharp corner; a bevel beyond the miter limit.
  case miter = 0
  /// A circle around the corner.
  case round = 1
  /// A corner that is cut off.
  case bevel = 2
}

/// How to draw a context's path.
public enum CGPathDrawingMode: Int32, Sendable {
  /// Fills by the winding rule.
  case fill = 0
  /// Fills by the even-odd rule.
  case eoFill = 1
  /// Strokes.
  case stroke = 2
  /// Fills by the winding rule, then strokes.
  case fillStroke = 3
  /// Fills by the even-odd rule, then strokes.
  case eoFillStroke = 4
}

/// Lines and curves. This class cannot be changed; ``CGMutablePath`` can.
public class CGPath: Hashable {
  /// An element of a path.
  enum Element: Hashable {
    case move(CGPoint)
    case line(CGPoint)
    case curve(CGPoint, CGPoint, CGPoint)
    case close
  }

  fileprivate(set) var elements: [Element] = []
  /// The first point of the current subpath.
  fileprivate var start: CGPoint = .zero

  fileprivate init() {}

  fileprivate func append(_ other: CGPath) {
    elements = other.elements
    start = other.start
  }

  /// Makes a path of one rectangle.
  public init(rect: CGRect, transform: UnsafePointer<CGAffineTransform>?) {
    let path = CGMutablePath()
    path.addRect(rect, transform: transform?.pointee ?? .identity)
    append(path)
  }

  /// Makes a path of the ellipse in a rectangle.
  public init(ellipseIn rect: CGRect, transform: UnsafePointer<CGAffineTransform>?) {
    let path = CGMutablePath()
    path.addEllipse(in: rect, transform: transform?.pointee ?? .identity)
    append(path)
  }

  /// Makes a path of a rectangle with round corners.
  public init(
    roundedRect rect: CGRect, cornerWidth: CGFloat, cornerHeight: CGFloat,
    transform: UnsafePointer<CGAffineTransform>?
  ) {
    let path = CGMutablePath()
    path.addRoundedRect(
      in: rect, cornerWidth: cornerWidth, cornerHeight: cornerHeight,
      transform: transform?.pointee ?? .identity)
    append(path)
  }

  /// Whether the path has no elements.
  public var isEmpty: Bool { elements.isEmpty }

  /// The end of the last line or curve; zero if the path is empty.
  public var currentPoint: CGPoint {
    switch elements.last {
    case .move(let point), .line(let point), .curve(_, _, let point): return point
    case .close: return start
    case nil: return .zero
    }
  }

  /// The smallest rectangle around all points, including the control points of curves. Null if the path is empty.
  public var boundingBox: CGRect {
    var points: [CGPoint] = []
    for element in elements {
      switch element {
      case .move(let point), .line(let point): points.append(point)
      case .curve(let first, let second, let end): points += [first, second, end]
      case .close: break
      }
    }
    guard let first = points.first else { return .null }
    var (low, high): (CGPoint, CGPoint) = (first, first)
    for point in points {
      low = CGPoint(x: min(low.x, point.x), y: min(low.y, point.y))
      high = CGPoint(x: max(high.x, point.x), y: max(high.y, point.y))
    }
    return CGRect(x: low.x, y: low.y, width: high.x - low.x, height: high.y - low.y)
  }

  /// Returns a copy that cannot be changed.
  public func copy() -> CGPath? {
    let path = CGPath()
    path.append(self)
    return path
  }

  /// Returns a transformed copy.
  public func copy(using transform: UnsafePointer<CGAffineTransform>?) -> CGPath? {
    let path = CGMutablePath()
    path.addPath(self, transform: transform?.pointee ?? .identity)
    return path
  }

  /// Returns a copy that can be changed.
  public func mutableCopy() -> CGMutablePath? {
    let path = CGMutablePath()
    path.append(self)
    return path
  }

  /// Paths are equal when their elements are equal.
  public static func == (left: CGPath, right: CGPath) -> Bool { left.elements == right.elements }

  /// Hashes the elements.
  public func hash(into hasher: inout Hasher) { hasher.combine(elements) }
}

/// A path to which lines and curves can be added.
public final class CGMutablePath: CGPath {
  /// Makes an empty path.
  public override init() { super.init() }

  /// Begins a new subpath at a point.
  public func move(to point: CGPoint, transform: CGAffineTransform = .identity) {
    start = point.applying(transform)
    elements.append(.move(start))
  }

  /// Adds a line. Begins a subpath instead if the path is empty.
  public func addLine(to point: CGPoint, transform: CGAffineTransform = .identity) {
    guard !isEmpty else { return move(to: point, transform: transform) }
    elements.append(.line(point.applying(transform)))
  }

  /// Begins a subpath at the first point and adds lines to the other points.
  public func addLines(between points: [CGPoint], transform: CGAffineTransform = .identity) {
    guard let first = points.first else { return }
    move(to: first, transform: transform)
    for point in points.dropFirst() { addLine(to: point, transform: transform) }
  }

  /// Adds a cubic Bézier curve.
  public func addCurve(
    to end: CGPoint, control1: CGPoint, control2: CGPoint,
    transform: CGAffineTransform = .identity
  ) {
    if isEmpty { move(to: control1, transform: transform) }
    elements.append(
      .curve(
        control1.applying(transform), control2.applying(transform), end.applying(transform)))
  }

  /// Adds a quadratic Bézier curve.
  public func addQuadCurve(
    to end: CGPoint, control: CGPoint, transform: CGAffineTransform = .identity
  ) {
    if isEmpty { move(to: control, transform: transform) }
    let (from, middle, to) = (currentPoint, control.applying(transform), end.applying(transform))
    func between(_ point: CGPoint) -> CGPoint {
      CGPoint(x: (point.x + 2 * middle.x) / 3, y: (point.y + 2 * middle.y) / 3)
    }
    elements.append(.curve(between(from), between(to), to))
  }

  /// Adds a closed rectangle.
  public func addRect(_ rect: CGRect, transform: CGAffineTransform = .identity) {
    addLines(
      between: [
        CGPoint(x: rect.minX, y: rect.minY), CGPoint(x: rect.maxX, y: rect.minY),
        CGPoint(x: rect.maxX, y: rect.maxY), CGPoint(x: rect.minX, y: rect.maxY),
      ], transform: transform)
    closeSubpath()
  }

  /// Adds closed rectangles.
  public func addRects(_ rects: [CGRect], transform: CGAffineTransform = .identity) {
    for rect in rects { addRect(rect, transform: transform) }
  }

  /// Adds the closed ellipse in a rectangle.
  public func addEllipse(in rect: CGRect, transform: CGAffineTransform = .identity) {
    let unit = CGAffineTransform(
      a: rect.width / 2, b: 0, c: 0, d: rect.height / 2, tx: rect.midX, ty: rect.midY
    ).concatenating(transform)
    move(to: CGPoint(x: 1, y: 0), transform: unit)
    addUnitArc(from: 0, through: 2 * .pi, transform: unit)
    closeSubpath()
  }

  /// Adds a closed rectangle with round corners. The corners' radii are limited to half of the sides.
  public func addRoundedRect(
    in rect: CGRect, cornerWidth: CGFloat, cornerHeight: CGFloat,
    transform: CGAffineTransform = .identity
  ) {
    let x: CGFloat = min(max(cornerWidth, 0), rect.width / 2)
    let y: CGFloat = min(max(cornerHeight, 0), rect.height / 2)
    let corners: [(CGFloat, CGFloat)] = [
      (rect.maxX - x, rect.minY + y), (rect.maxX - x, rect.maxY - y),
      (rect.minX + x, rect.maxY - y), (rect.minX + x, rect.minY + y),
    ]
    move(to: CGPoint(x: rect.minX + x, y: rect.minY), transform: transform)
    for (index, corner) in corners.enumerated() {
      let unit = CGAffineTransform(a: x, b: 0, c: 0, d: y, tx: corner.0, ty: corner.1)
        .concatenating(transform)
      let angle: CGFloat = CGFloat(index - 1) * .pi / 2
      addLine(to: CGPoint(x: cos(angle), y: sin(angle)), transform: unit)
      addUnitArc(from: angle, through: .pi / 2, transform: unit)
    }
    closeSubpath()
  }

  /// Adds an arc of a circle, and a line to its start if the path is not empty.
  ///
  /// - Parameters:
  ///   - clockwise: The direction in coordinates whose y axis points up.
  public func addArc(
    center: CGPoint, radius: CGFloat, startAngle: CGFloat, endAngle: CGFloat, clockwise: Bool,
    transform: CGAffineTransform = .identity
  ) {
    let full: CGFloat = 2 * .pi
    var sweep: CGFloat = endAngle - startAngle
    guard sweep.isFinite, startAngle.isFinite else { return }
    if abs(sweep) >= full {
      sweep = clockwise ? -full : full
    } else if clockwise, sweep > 0 {
      sweep -= full
    } else if !clockwise, sweep < 0 {
      sweep += full
    }
    addRelativeArc(
      center: center, radius: radius, startAngle: startAngle, delta: sweep, transform: transform)
  }

  /// Adds an arc of a circle that turns by `delta`, and a line to its start if the path is not empty.
  public func addRelativeArc(
    center: CGPoint, radius: CGFloat, startAngle: CGFloat, delta: CGFloat,
    transform: CGAffineTransform = .identity
  ) {
    let unit = CGAffineTransform(a: radius, b: 0, c: 0, d: radius, tx: center.x, ty: center.y)
      .concatenating(transform)
    addLine(to: CGPoint(x: cos(startAngle), y: sin(startAngle)), transform: unit)
    addUnitArc(from: startAngle, through: min(max(delta, -8 * .pi), 8 * .pi), transform: unit)
  }

  /// Adds the arc that touches the line from the current point to `tangent1End` and the line from there to
  /// `tangent2End`, and a line to its start.
  public func addArc(
    tangent1End corner: CGPoint, tangent2End end: CGPoint, radius: CGFloat,
    transform: CGAffineTransform = .identity
  ) {
    if isEmpty { move(to: corner, transform: transform) }
    let from: CGPoint = currentPoint.applying(transform.inverted())
    let (first, second) = (
      CGVector(dx: from.x - corner.x, dy: from.y - corner.y),
      CGVector(dx: end.x - corner.x, dy: end.y - corner.y)
    )
    let (a, b) = (hypot(first.dx, first.dy), hypot(second.dx, second.dy))
    let cross: CGFloat = first.dx * second.dy - first.dy * second.dx
    guard a > 0, b > 0, radius > 0, abs(cross) > 1e-9 * a * b else {
      return addLine(to: corner, transform: transform)
    }
    let angle: CGFloat = acos(
      min(1, max(-1, (first.dx * second.dx + first.dy * second.dy) / (a * b))))
    let reach: CGFloat = radius / tan(angle / 2)
    let far: CGFloat = radius / sin(angle / 2)
    let (ux, uy) = (first.dx / a + second.dx / b, first.dy / a + second.dy / b)
    let length: CGFloat = hypot(ux, uy)
    let center = CGPoint(x: corner.x + ux / length * far, y: corner.y + uy / length * far)
    func direction(_ vector: CGVector, _ size: CGFloat) -> CGFloat {
      atan2(
        corner.y + vector.dy / size * reach - center.y,
        corner.x + vector.dx / size * reach - center.x)
    }
    addArc(
      center: center, radius: radius, startAngle: direction(first, a),
      endAngle: direction(second, b), clockwise: cross > 0, transform: transform)
  }

  /// Adds the elements of another path.
  public func addPath(_ path: CGPath, transform: CGAffineTransform = .identity) {
    let added: [Element] = path.elements
    for element in added {
      switch element {
      case .move(let point): move(to: point, transform: transform)
      case .line(let point): addLine(to: point, transform: transform)
      case .curve(let first, let second, let end):
        addCurve(to: end, control1: first, control2: second, transform: transform)
      case .close: closeSubpath()
      }
    }
  }

  /// Adds a line to the start of the subpath and ends the subpath.
  public func closeSubpath() {
    if let last = elements.last, last != .close { elements.append(.close) }
  }

  /// Adds an arc of the unit circle from the current point, by one Bézier curve for each quarter.
  private func addUnitArc(from start: CGFloat, through sweep: CGFloat, transform: CGAffineTransform)
  {
    guard sweep.isFinite, sweep != 0 else { return }
    let count: Int = max(1, Int((abs(sweep) / (.pi / 2) - 1e-9).rounded(.up)))
    let step: CGFloat = sweep / CGFloat(count)
    let handle: CGFloat = 4 / 3 * tan(step / 4)
    for index in 0..<count {
      let from: CGFloat = start + CGFloat(index) * step
      let to: CGFloat = from + step
      addCurve(
        to: CGPoint(x: cos(to), y: sin(to)),
        control1: CGPoint(x: cos(from) - handle * sin(from), y: sin(from) + handle * cos(from)),
        control2: CGPoint(x: cos(to) + handle * sin(to), y: sin(to) - handle * cos(to)),
        transform: transform)
    }
  }
}
