import CoreGraphics
import Foundation

/// A face that a request found in an image.
public struct FaceObservation: VisionObservation, BoundingBoxProviding {
  /// The unique identifier of the observation.
  public let uuid: UUID
  /// The confidence, from 0 to 1.
  public let confidence: Float
  /// The box, normalised to the region of interest.
  public let boundingBox: NormalizedRect
  /// The rotation in the plane of the image, counter-clockwise.
  public let roll: Measurement<UnitAngle>
  /// The rotation around the vertical axis, positive towards the right edge of the image. Only the request for
  /// landmarks computes this angle; otherwise, the angle is 0.
  public let yaw: Measurement<UnitAngle>
  /// The rotation around the horizontal axis, positive downwards. Only the request for landmarks computes this angle;
  /// otherwise, the angle is 0.
  public let pitch: Measurement<UnitAngle>
  /// The points of the face. Only ``DetectFaceLandmarksRequest`` computes them; otherwise nil.
  public let landmarks: Landmarks2D?

  /// Copies an observation of the older interface, whose names begin with `VN`.
  public init(_ observation: VNFaceObservation) {
    func angle(_ number: NSNumber?) -> Measurement<UnitAngle> {
      Measurement(value: number?.doubleValue ?? 0, unit: .radians)
    }
    uuid = observation.uuid
    confidence = observation.confidence
    boundingBox = NormalizedRect(normalizedRect: observation.boundingBox)
    roll = angle(observation.roll)
    yaw = angle(observation.yaw)
    pitch = angle(observation.pitch)
    landmarks = observation.landmarks.map {
      Landmarks2D($0, in: NormalizedRect(normalizedRect: observation.boundingBox))
    }
  }

  /// The box and the confidence as text.
  public var description: String { "face in \(boundingBox.cgRect), confidence \(confidence)" }

  /// The landmarks of a face: some of the points of MediaPipe's face mesh, in the regions of Apple's framework.
  public struct Landmarks2D: Hashable, Sendable, Codable {
    /// How the points of a region are joined.
    public enum PointsClassification: Hashable, Sendable, Codable {
      /// The points are separate.
      case disconnected
      /// The points are a line.
      case openPath
      /// The points are an outline: the last point is joined to the first point.
      case closedPath
    }

    /// A set of landmarks.
    public struct Region: Hashable, Sendable, Codable {
      /// The points, normalised to the face's bounding box.
      public let points: [NormalizedPoint]
      /// How the points are joined.
      public let pointsClassification: PointsClassification
      private let boundingBox: NormalizedRect

      init(_ region: VNFaceLandmarkRegion2D?, in box: NormalizedRect) {
        points = (region?.normalizedPoints ?? []).map(NormalizedPoint.init(normalizedPoint:))
        pointsClassification =
          switch region?.pointsClassification {
          case .openPath: .openPath
          case .closedPath: .closedPath
          case .disconnected, nil: .disconnected
          }
        boundingBox = box
      }

      /// Returns the points in pixels of an image.
      public func pointsInImageCoordinates(
        _ imageSize: CGSize, origin: CoordinateOrigin = .lowerLeft
      ) -> [CGPoint] {
        points.map {
          $0.toImageCoordinates(from: boundingBox, imageSize: imageSize, origin: origin)
        }
      }
    }

    /// The confidence that the landmarks belong to a face, 0 to 1.
    public let confidence: Float
    /// All points.
    public let allPoints: Region
    /// The outline of the face.
    public let faceContour: Region
    /// The outline of the person's left eye.
    public let leftEye: Region
    /// The outline of the person's right eye.
    public let rightEye: Region
    /// The person's left eyebrow.
    public let leftEyebrow: Region
    /// The person's right eyebrow.
    public let rightEyebrow: Region
    /// The outline of the nose.
    public let nose: Region
    /// The crest of the nose, from above.
    public let noseCrest: Region
    /// The line through the middle of the face, from above.
    public let medianLine: Region
    /// The outer outline of the lips.
    public let outerLips: Region
    /// The inner outline of the lips.
    public let innerLips: Region
    /// The centre of the left eye's outline.
    public let leftPupil: Region
    /// The centre of the right eye's outline.
    public let rightPupil: Region

    init(_ landmarks: VNFaceLandmarks2D, in box: NormalizedRect) {
      confidence = landmarks.confidence
      allPoints = Region(landmarks.allPoints, in: box)
      faceContour = Region(landmarks.faceContour, in: box)
      leftEye = Region(landmarks.leftEye, in: box)
      rightEye = Region(landmarks.rightEye, in: box)
      leftEyebrow = Region(landmarks.leftEyebrow, in: box)
      rightEyebrow = Region(landmarks.rightEyebrow, in: box)
      nose = Region(landmarks.nose, in: box)
      noseCrest = Region(landmarks.noseCrest, in: box)
      medianLine = Region(landmarks.medianLine, in: box)
      outerLips = Region(landmarks.outerLips, in: box)
      innerLips = Region(landmarks.innerLips, in: box)
      leftPupil = Region(landmarks.leftPupil, in: box)
      rightPupil = Region(landmarks.rightPupil, in: box)
    }
  }
}
