import Foundation
import Service

/// How a studio is opened.
public struct StudioOptions: Sendable {
  /// The address that is listened on, in digits.
  public var address = "127.0.0.1"
  /// The port; 0 lets the system choose.
  public var port: UInt16 = 8417
  /// What clients must show; nil asks for nothing, which only an address of this machine may.
  public var token: String?
  /// The address by which a proxy gives the studio to others; nil where there is none.
  public var publicAddress: PublicAddress?
  /// A folder whose models are shown beside the gallery.
  public var models: URL?
  /// Where trainings and what they made are kept.
  public var data: URL = StudioOptions.defaultData
  /// The most pixels of a picture.
  public var pixels = 64_000_000
  /// The most bytes of a picture's file.
  public var pictureBytes = 48 << 20
  /// The most bytes of a model's file.
  public var modelBytes = 384 << 20
  /// The most bytes of any other body.
  public var otherBytes = 1 << 20
  /// The most bytes of bodies, photos that wait, messages and answers, all together.
  public var waitingBytes = 512 << 20
  /// The most seconds of a prediction.
  public var predictionSeconds: Double = 300
  /// The memory from which on nothing is kept for later, in bytes.
  public var keptBytes = 1 << 30
  /// What is started to run models that others wrote: a program with the command
  /// ``StudioWorker/command``, which this one is unless told otherwise.
  public var program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()

  /// Options as they are unless changed.
  public init() {}

  /// `$XDG_DATA_HOME/atelier/studio`, or `~/.local/share/atelier/studio`.
  public static var defaultData: URL {
    let environment = ProcessInfo.processInfo.environment
    let base: URL =
      environment["XDG_DATA_HOME"].flatMap { path in
        path.hasPrefix("/") ? URL(fileURLWithPath: path, isDirectory: true) : nil
      }
      ?? URL(
        fileURLWithPath: environment["HOME"] ?? NSHomeDirectory(), isDirectory: true
      ).appendingPathComponent(".local/share", isDirectory: true)
    return base.appendingPathComponent("atelier/studio", isDirectory: true)
  }
}
