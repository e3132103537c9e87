import CoreGraphics
import Foundation

/// The rectangle of the whole image in normalised coordinates: origin (0, 0), size (1, 1).
public let VNNormalizedIdentityRect = CGRect(x: 0, y: 0, width: 1, height: 1)

/// Returns whether a rectangle is ``VNNormalizedIdentityRect``.
public func VNNormalizedRectIsIdentityRect(_ normalizedRect: CGRect) -> Bool {
  normalizedRect == VNNormalizedIdentityRect
}

/// Converts a point from normalised coordinates (0 to 1) to pixels. Both coordinate systems have the origin at the
/// lower left.
public func VNImagePointForNormalizedPoint(
  _ normalizedPoint: CGPoint, _ imageWidth: Int, _ imageHeight: Int
) -> CGPoint {
  VNImagePointForNormalizedPointUsingRegionOfInterest(
    normalizedPoint, imageWidth, imageHeight, VNNormalizedIdentityRect)
}

/// Converts a point from coordinates normalised to a region of interest to pixels of the whole image.
///
/// - Parameter roi: The region of interest, in coordinates normalised to the image.
public func VNImagePointForNormalizedPointUsingRegionOfInterest(
  _ normalizedPoint: CGPoint, _ imageWidth: Int, _ imageHeight: Int, _ roi: CGRect
) -> CGPoint {
  CGPoint(
    x: (roi.minX + normalizedPoint.x * roi.width) * CGFloat(imageWidth),
    y: (roi.minY + normalizedPoint.y * roi.height) * CGFloat(imageHeight))
}

/// Converts a point from pixels to normalised coordinates (0 to 1). Both coordinate systems have the origin at the
/// lower left.
public func VNNormalizedPointForImagePoint(
  _ imagePoint: CGPoint, _ imageWidth: Int, _ imageHeight: Int
) -> CGPoint {
  VNNormalizedPointForImagePointUsingRegionOfInterest(
    imagePoint, imageWidth, imageHeight, VNNormalizedIdentityRect)
}

/// Converts a point from pixels of the whole image to coordinates normalised to a region of interest.
///
/// - Parameter roi: The region of interest, in coordinates normalised to the image.
public func VNNormalizedPointForImagePointUsingRegionOfInterest(
  _ imagePoint: CGPoint, _ imageWidth: Int, _ imageHeight: Int, _ roi: CGRect
) -> CGPoint {
  CGPoint(
    x: (imagePoint.x / CGFloat(imageWidth) - roi.minX) / roi.width,
    y: (imagePoint.y / CGFloat(imageHeight) - roi.minY) / roi.height)
}

/// Converts a rectangle from normalised coordinates (0 to 1) to pixels. Both coordinate systems have the origin at the
/// lower left.
public func VNImageRectForNormalizedRect(
  _ normalizedRect: CGRect, _ imageWidth: Int, _ imageHeight: Int
) -> CGRect {
  VNImageRectForNormalizedRectUsingRegionOfInterest(
    normalizedRect, imageWidth, imageHeight, VNNormalizedIdentityRect)
}

/// Converts a rectangle from coordinates normalised to a region of interest to pixels of the whole image.
///
/// - Parameter roi: The region of interest, in coordinates normalised to the image.
public func VNImageRectForNormalizedRectUsingRegionOfInterest(
  _ normalizedRect: CGRect, _ imageWidth: Int, _ imageHeight: Int, _ roi: CGRect
) -> CGRect {
  let corner: CGPoint = VNImagePointForNormalizedPointUsingRegionOfInterest(
    normalizedRect.origin, imageWidth, imageHeight, roi)
  return CGRect(
    x: corner.x, y: corner.y, width: normalizedRect.width * roi.width * CGFloat(imageWidth),
    height: normalizedRect.height * roi.height * CGFloat(imageHeight))
}

/// Converts a rectangle from pixels to normalised coordinates (0 to 1). Both coordinate systems have the origin at the
/// lower left.
public func VNNormalizedRectForImageRect(
  _ imageRect: CGRect, _ imageWidth: Int, _ imageHeight: Int
) -> CGRect {
  VNNormalizedRectForImageRectUsingRegionOfInterest(
    imageRect, imageWidth, imageHeight, VNNormalizedIdentityRect)
}

/// Converts a rectangle from pixels of the whole image to coordinates normalised to a region of interest.
///
/// - Parameter roi: The region of interest, in coordinates normalised to the image.
public func VNNormalizedRectForImageRectUsingRegionOfInterest(
  _ imageRect: CGRect, _ imageWidth: Int, _ imageHeight: Int, _ roi: CGRect
) -> CGRect {
  let corner: CGPoint = VNNormalizedPointForImagePointUsingRegionOfInterest(
    imageRect.origin, imageWidth, imageHeight, roi)
  return CGRect(
    x: corner.x, y: corner.y, width: imageRect.width / (CGFloat(imageWidth) * roi.width),
    height: imageRect.height / (CGFloat(imageHeight) * roi.height))
}

/// Converts a landmark of a face to pixels of the image, with the origin at the lower left.
///
/// - Parameters:
///   - faceLandmarkPoint: The point, normalised to the face's bounding box.
///   - faceBoundingBox: The bounding box, normalised to the image.
public func VNImagePointForFaceLandmarkPoint(
  _ faceLandmarkPoint: SIMD2<Float>, _ faceBoundingBox: CGRect, _ imageWidth: Int,
  _ imageHeight: Int
) -> CGPoint {
  VNImagePointForNormalizedPointUsingRegionOfInterest(
    CGPoint(x: CGFloat(faceLandmarkPoint.x), y: CGFloat(faceLandmarkPoint.y)), imageWidth,
    imageHeight, faceBoundingBox)
}

/// Converts a landmark of a face to coordinates normalised to the image.
///
/// - Parameters:
///   - faceLandmarkPoint: The point, normalised to the face's bounding box.
///   - faceBoundingBox: The bounding box, normalised to the image.
public func VNNormalizedFaceBoundingBoxPointForLandmarkPoint(
  _ faceLandmarkPoint: SIMD2<Float>, _ faceBoundingBox: CGRect, _ imageWidth: Int,
  _ imageHeight: Int
) -> CGPoint {
  CGPoint(
    x: faceBoundingBox.minX + CGFloat(faceLandmarkPoint.x) * faceBoundingBox.width,
    y: faceBoundingBox.minY + CGFloat(faceLandmarkPoint.y) * faceBoundingBox.height)
}

/// Returns the number of bytes of an element of a feature print. 0 for an unknown type.
public func VNElementTypeSize(_ elementType: VNElementType) -> Int {
  switch elementType {
  case .unknown: 0
  case .float: 4
  case .double: 8
  }
}
