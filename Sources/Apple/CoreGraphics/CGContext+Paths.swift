import CCairo
import Foundation
import Imaging

extension CGContext {
  // MARK: - The path

  /// Removes the path.
  public func beginPath() { devicePath = CGMutablePath() }

  /// Begins a subpath at a point.
  public func move(to point: CGPoint) { devicePath.move(to: point, transform: ctm) }

  /// Adds a line.
  public func addLine(to point: CGPoint) { devicePath.addLine(to: point, transform: ctm) }

  /// Begins a subpath at the first point and adds lines to the other points.
  public func addLines(between points: [CGPoint]) {
    devicePath.addLines(between: points, transform: ctm)
  }

  /// Adds a cubic Bézier curve.
  public func addCurve(to end: CGPoint, control1: CGPoint, control2: CGPoint) {
    devicePath.addCurve(to: end, control1: control1, control2: control2, transform: ctm)
  }

  /// Adds a quadratic Bézier curve.
  public func addQuadCurve(to end: CGPoint, control: CGPoint) {
    devicePath.addQuadCurve(to: end, control: control, transform: ctm)
  }

  /// Adds a closed rectangle.
  public func addRect(_ rect: CGRect) { devicePath.addRect(rect, transform: ctm) }

  /// Adds closed rectangles.
  public func addRects(_ rects: [CGRect]) { devicePath.addRects(rects, transform: ctm) }

  /// Adds the closed ellipse in a rectangle.
  public func addEllipse(in rect: CGRect) { devicePath.addEllipse(in: rect, transform: ctm) }

  /// Adds an arc of a circle, and a line to its start if the path is not empty.
  ///
  /// - Parameters:
  ///   - clockwise: The direction in coordinates whose y axis points up.
  public func addArc(
    center: CGPoint, radius: CGFloat, startAngle: CGFloat, endAngle: CGFloat, clockwise: Bool
  ) {
    devicePath.addArc(
      center: center, radius: radius, startAngle: startAngle, endAngle: endAngle,
      clockwise: clockwise, transform: ctm)
  }

  /// Adds the arc that touches the line from the current point to `tangent1End` and the line from there to
  /// `tangent2End`, and a line to its start.
  public func addArc(tangent1End: CGPoint, tangent2End: CGPoint, radius: CGFloat) {
    devicePath.addArc(
      tangent1End: tangent1End, tangent2End: tangent2End, radius: radius, transform: ctm)
  }

  /// Adds a path.
  public func addPath(_ path: CGPath) { devicePath.addPath(path, transform: ctm) }

  /// Adds a line to the start of the subpath and ends the subpath.
  public func closePath() { devicePath.closeSubpath() }

  /// Whether the path has no elements.
  public var isPathEmpty: Bool { devicePath.isEmpty }

  /// The end of the last line or curve.
  public var currentPointOfPath: CGPoint {
    isPathEmpty ? .zero : devicePath.currentPoint.applying(ctm.inverted())
  }

  /// The smallest rectangle around all points of the path, including the control points of curves.
  public var boundingBoxOfPath: CGRect { path?.boundingBox ?? .null }

  /// A copy of the path. Nil if the path is empty.
  public var path: CGPath? {
    guard !isPathEmpty else { return nil }
    var inverse: CGAffineTransform = ctm.inverted()
    return devicePath.copy(using: &inverse)
  }

  // MARK: - Drawing the path

  /// Fills the path and removes it.
  public func fillPath(using rule: CGPathFillRule = .winding) {
    drawPath(using: rule == .winding ? .fill : .eoFill)
  }

  /// Strokes the path and removes it.
  public func strokePath() { drawPath(using: .stroke) }

  /// Fills and strokes the path, and removes it.
  public func drawPath(using mode: CGPathDrawingMode) {
    let path: CGPath = devicePath
    beginPath()
    if mode != .stroke {
      let isEvenOdd: Bool = mode == .eoFill || mode == .eoFillStroke
      paint(path, state.fillColor, isEvenOdd: isEvenOdd, isStroke: false)
    }
    if mode != .fill, mode != .eoFill {
      paint(path, state.strokeColor, isEvenOdd: false, isStroke: true)
    }
  }

  /// Fills the ellipse in a rectangle.
  public func fillEllipse(in rect: CGRect) {
    beginPath()
    addEllipse(in: rect)
    fillPath()
  }

  /// Strokes the ellipse in a rectangle.
  public func strokeEllipse(in rect: CGRect) {
    beginPath()
    addEllipse(in: rect)
    strokePath()
  }

  /// Strokes a rectangle.
  public func stroke(_ rect: CGRect) {
    beginPath()
    addRect(rect)
    strokePath()
  }

  /// Strokes a rectangle with a line width.
  public func stroke(_ rect: CGRect, width: CGFloat) {
    let usual: CGFloat = state.lineWidth
    state.lineWidth = width
    stroke(rect)
    state.lineWidth = usual
  }

  /// Strokes separate lines: from the first point to the second, from the third to the fourth, and so on.
  public func strokeLineSegments(between points: [CGPoint]) {
    beginPath()
    for index in stride(from: 0, to: points.count - 1, by: 2) {
      move(to: points[index])
      addLine(to: points[index + 1])
    }
    strokePath()
  }

  // MARK: - Lines

  /// Sets the stroke colour.
  public func setStrokeColor(_ color: CGColor) { state.strokeColor = color }

  /// Sets the stroke colour from components, each 0…1.
  public func setStrokeColor(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {
    state.strokeColor = CGColor(red: red, green: green, blue: blue, alpha: alpha)
  }

  /// Sets the stroke colour to a grey. Both arguments are 0…1.
  public func setStrokeColor(gray: CGFloat, alpha: CGFloat) {
    state.strokeColor = CGColor(gray: gray, alpha: alpha)
  }

  /// Sets the width of lines, in user space.
  public func setLineWidth(_ width: CGFloat) { state.lineWidth = width }

  /// Sets the ends of lines.
  public func setLineCap(_ cap: CGLineCap) { state.lineCap = cap }

  /// Sets the corners between lines.
  public func setLineJoin(_ join: CGLineJoin) { state.lineJoin = join }

  /// Sets the largest ratio of a corner's length to the line width. A sharper corner becomes a bevel.
  public func setMiterLimit(_ limit: CGFloat) { state.miterLimit = limit }

  /// Sets the lengths of dashes and gaps. An empty list makes lines solid.
  public func setLineDash(phase: CGFloat, lengths: [CGFloat]) {
    state.dashPhase = phase
    state.dashLengths = lengths
  }

  /// Sets the opacity of everything that is drawn, 0…1.
  public func setAlpha(_ alpha: CGFloat) { state.alpha = alpha.isNaN ? 0 : min(1, max(0, alpha)) }

  /// Sets whether pixels on the edge of paths are covered in part.
  public func setShouldAntialias(_ shouldAntialias: Bool) {
    state.isSmooth = shouldAntialias
  }

  // MARK: - Clipping

  /// Limits drawing to the inside of the path, too, and removes the path.
  public func clip(using rule: CGPathFillRule = .winding) {
    let path: CGPath = devicePath
    beginPath()
    let all = PixelBox(left: 0, top: 0, width: width, height: height)
    var mask: [UInt8] = [UInt8](repeating: 0, count: width * height)
    if let cover = coverage(of: path, isEvenOdd: rule == .evenOdd, isStroke: false) {
      for row in 0..<cover.box.height {
        let from: Int = row * cover.box.width
        let to: Int = (cover.box.top + row) * all.width + cover.box.left
        mask.replaceSubrange(
          to..<to + cover.box.width, with: cover.values[from..<from + cover.box.width])
      }
    }
    if let old = state.clip {
      for index in mask.indices { mask[index] = scaled(mask[index], by: old[index]) }
    }
    state.clip = mask
  }

  /// Limits drawing to a rectangle, too.
  public func clip(to rect: CGRect) { clip(to: [rect]) }

  /// Limits drawing to the inside of rectangles, too.
  public func clip(to rects: [CGRect]) {
    beginPath()
    addRects(rects)
    clip()
  }

  /// Removes all limits of drawing.
  public func resetClip() { state.clip = nil }

  // MARK: - Coverage

  /// Draws a path in device coordinates over the existing content.
  func paint(_ path: CGPath, _ colour: CGColor, isEvenOdd: Bool, isStroke: Bool) {
    let bytes: [UInt8] = colour.bytes
    guard bytes[3] > 0,
      let cover = coverage(of: path, isEvenOdd: isEvenOdd, isStroke: isStroke)
    else { return }
    let area: Int = cover.values.count
    var pixels: [UInt8] = [UInt8](repeating: 0, count: area * 3)
    for index in 0..<area {
      for component in 0..<3 { pixels[index * 3 + component] = bytes[component] }
    }
    let alpha: [UInt8] =
      bytes[3] == 255 ? cover.values : cover.values.map { scaled($0, by: bytes[3]) }
    guard
      let picture = try? Picture(
        width: cover.box.width, height: cover.box.height, pixels: pixels, alpha: alpha)
    else { return }
    compose(picture, at: cover.box)
  }

  /// Returns how much of each pixel a path covers, in the smallest box of pixels around the path. Nil if the path
  /// covers no pixel of the context.
  private func coverage(
    of path: CGPath, isEvenOdd: Bool, isStroke: Bool
  ) -> (box: PixelBox, values: [UInt8])? {
    let transform: CGAffineTransform = ctm
    let bounds: CGRect = path.boundingBox
    let determinant: CGFloat = transform.a * transform.d - transform.b * transform.c
    guard !bounds.isNull, !isStroke || (state.lineWidth > 0 && determinant != 0) else {
      return nil
    }
    // A line reaches half its width beyond its points; a miter or a square cap reaches further.
    let scale: CGFloat = max(hypot(transform.a, transform.b), hypot(transform.c, transform.d))
    let reach: CGFloat = isStroke ? state.lineWidth * scale * max(1, state.miterLimit / 2) + 1 : 1
    func pixel(_ value: CGFloat) -> Int {
      value.isNaN ? 0 : Int(min(1_000_000, max(-1_000_000, value)))
    }
    let left: Int = pixel((bounds.minX - reach).rounded(.down))
    let top: Int = pixel((CGFloat(height) - bounds.maxY - reach).rounded(.down))
    let box: PixelBox = PixelBox(
      left: left, top: top, width: pixel((bounds.maxX + reach).rounded(.up)) - left,
      height: pixel((CGFloat(height) - bounds.minY + reach).rounded(.up)) - top
    ).clipped(toWidth: width, height: height)
    guard box.width > 0, box.height > 0 else { return nil }

    let elements: [CCairoElement] = path.elements.map { element in
      func place(_ point: CGPoint) -> (Double, Double) {
        // cairo computes with 24 bits before the binary point.
        func limited(_ value: CGFloat) -> Double { min(4_000_000, max(-4_000_000, Double(value))) }
        return (
          limited(point.x - CGFloat(box.left)),
          limited(CGFloat(height) - point.y - CGFloat(box.top))
        )
      }
      switch element {
      case .move(let point):
        let (x, y) = place(point)
        return CCairoElement(kind: 0, points: (x, y, 0, 0, 0, 0))
      case .line(let point):
        let (x, y) = place(point)
        return CCairoElement(kind: 1, points: (x, y, 0, 0, 0, 0))
      case .curve(let first, let second, let end):
        let (a, b, c) = (place(first), place(second), place(end))
        return CCairoElement(kind: 2, points: (a.0, a.1, b.0, b.1, c.0, c.1))
      case .close: return CCairoElement(kind: 3, points: (0, 0, 0, 0, 0, 0))
      }
    }
    var values: [UInt8] = [UInt8](repeating: 0, count: box.width * box.height)
    let dashes: [Double] = state.dashLengths.map { Double($0) }
    let isCovered: Bool = dashes.withUnsafeBufferPointer { lengths in
      var drawing = CCairoDrawing(
        strokes: isStroke, even_odd: isEvenOdd, smooth: state.isSmooth,
        cap: state.lineCap.rawValue, join: state.lineJoin.rawValue, width: state.lineWidth,
        miter_limit: state.miterLimit, dash_phase: state.dashPhase, dashes: lengths.baseAddress,
        dash_count: Int32(dashes.count),
        // The rows of the mask go down.
        transform: (transform.a, -transform.b, transform.c, -transform.d, 0, 0))
      // Safe: the mask has the box's pixels, and all pointers are valid during the call.
      return ccairo_cover(
        elements, Int32(elements.count), &drawing, &values, Int32(box.width), Int32(box.height))
    }
    guard isCovered else {
      PathFailure.report(String(cString: ccairo_error()))
      return nil
    }
    return (box, values)
  }
}

/// Returns a number of 0…255 multiplied by a factor in units of 1/255.
func scaled(_ value: UInt8, by factor: UInt8) -> UInt8 {
  UInt8((Int(value) * Int(factor) + 127) / 255)
}

/// Paths that cannot be drawn. The interface of Core Graphics has no errors, so the reason appears on standard error.
private enum PathFailure {
  private static let lock = NSLock()
  nonisolated(unsafe) private static var reported: Set<String> = []

  static func report(_ reason: String) {
    let isNew: Bool = lock.withLock { reported.insert(reason).inserted }
    if isNew { FileHandle.standardError.write(Data("CGContext: \(reason).\n".utf8)) }
  }
}
