import CoreFoundation
import Platform

/// Whether an attachment goes along when a buffer is processed.
public enum CVAttachmentMode: UInt32, Sendable {
  /// The attachment stays with its buffer.
  case shouldNotPropagate = 0
  /// `CVBufferPropagateAttachments` copies the attachment.
  case shouldPropagate = 1
}

/// An object that is attached to a buffer.
struct CVAttachment: @unchecked Sendable {
  // Sendable: attachments are immutable objects, as in Apple's framework.
  let value: AnyObject
  let mode: CVAttachmentMode
}

/// Attaches an object to a buffer. An attachment with the same key is replaced.
public func CVBufferSetAttachment(
  _ buffer: CVBuffer, _ key: CFString, _ value: CFTypeRef, _ attachmentMode: CVAttachmentMode
) {
  let attachment = CVAttachment(value: value, mode: attachmentMode)
  buffer.attachments.withLock { $0[key] = attachment }
}

/// Attaches objects to a buffer.
public func CVBufferSetAttachments(
  _ buffer: CVBuffer, _ theAttachments: CFDictionary, _ attachmentMode: CVAttachmentMode
) {
  for (key, value) in theAttachments {
    if let key = key.base as? String {
      CVBufferSetAttachment(buffer, key, value as AnyObject, attachmentMode)
    }
  }
}

/// Returns the object that is attached under a key. Nil if there is none.
public func CVBufferCopyAttachment(
  _ buffer: CVBuffer, _ key: CFString, _ attachmentMode: UnsafeMutablePointer<CVAttachmentMode>?
) -> CFTypeRef? {
  let found: CVAttachment? = buffer.attachments.withLock { $0[key] }
  if let found { attachmentMode?.pointee = found.mode }
  return found?.value
}

/// Returns the objects that are attached with a mode. Nil if there are none.
public func CVBufferCopyAttachments(
  _ buffer: CVBuffer, _ attachmentMode: CVAttachmentMode
) -> CFDictionary? {
  let found: [String: CVAttachment] = buffer.attachments.withLock { all in
    all.filter { $0.value.mode == attachmentMode }
  }
  return found.isEmpty
    ? nil : Dictionary(uniqueKeysWithValues: found.map { (AnyHashable($0.key), $0.value.value) })
}

/// Returns the objects that are attached with a mode, as the older function of this name does.
public func CVBufferGetAttachments(
  _ buffer: CVBuffer, _ attachmentMode: CVAttachmentMode
) -> CFDictionary? {
  CVBufferCopyAttachments(buffer, attachmentMode)
}

/// Returns the object that is attached under a key, without keeping it alive. The buffer does, until the attachment is
/// replaced or removed.
public func CVBufferGetAttachment(
  _ buffer: CVBuffer, _ key: CFString, _ attachmentMode: UnsafeMutablePointer<CVAttachmentMode>?
) -> Unmanaged<CFTypeRef>? {
  CVBufferCopyAttachment(buffer, key, attachmentMode).map { Unmanaged.passUnretained($0) }
}

/// Returns whether an object is attached under a key.
public func CVBufferHasAttachment(_ buffer: CVBuffer, _ key: CFString) -> Bool {
  buffer.attachments.withLock { $0[key] != nil }
}

/// Removes the object that is attached under a key.
public func CVBufferRemoveAttachment(_ buffer: CVBuffer, _ key: CFString) {
  buffer.attachments.withLock { $0[key] = nil }
}

/// Removes all attached objects.
public func CVBufferRemoveAllAttachments(_ buffer: CVBuffer) {
  buffer.attachments.withLock { $0 = [:] }
}

/// Copies the attachments that go along from one buffer to another.
public func CVBufferPropagateAttachments(
  _ sourceBuffer: CVBuffer, _ destinationBuffer: CVBuffer
) {
  let copied: [String: CVAttachment] = sourceBuffer.attachments.withLock { all in
    all.filter { $0.value.mode == .shouldPropagate }
  }
  destinationBuffer.attachments.withLock { $0.merge(copied) { $1 } }
}
